#include "hyperpp/comm/error_kind.h"

#include <array>
#include <filesystem>
#include <new>

#include <c10/util/Exception.h>

#include "hyperpp/comm/shared_cause.h"
#include "hyperpp/core/error.h"

namespace hyperpp::comm {
namespace {

struct Kind {
  std::string_view name;
  bool (*matches)(const std::exception& error);
  void (*raise)(const std::string& text, int speaker);
};

template <typename Exception>
constexpr Kind MakeKind(std::string_view name) {
  return {
      name,
      [](const std::exception& error) { return dynamic_cast<const Exception*>(&error) != nullptr; },
      [](const std::string& text, int speaker) { throw Shared<Exception>(text, speaker); }};
}

constexpr std::array kKinds = {
    MakeKind<ConfigError>("ConfigError"),     MakeKind<PlanError>("PlanError"),
    MakeKind<InputError>("InputError"),       MakeKind<IoError>("IoError"),
    MakeKind<CommError>("CommError"),         MakeKind<NonFiniteError>("NonFiniteError"),
    MakeKind<InternalError>("InternalError"),
};

}  // namespace

std::string_view ErrorKind(const std::exception& error) {
  for (const Kind& kind : kKinds) {
    if (kind.matches(error)) return kind.name;
  }
  return ExitStatusOf(error) == ExitStatus::kMachine ? "IoError" : "InternalError";
}

std::string ErrorText(const std::exception& error) {
  if (const auto* torch_error = dynamic_cast<const c10::Error*>(&error)) {
    return torch_error->what_without_backtrace();
  }
  if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr) return "out of memory";
  return error.what();
}

void ThrowShared(std::string_view kind, const std::string& text, int speaker) {
  for (const Kind& known : kKinds) {
    if (known.name == kind) known.raise(text, speaker);
  }
  throw InternalError(fmt::format("unknown kind of error '{}': {}", kind, text));
}

}  // namespace hyperpp::comm

#include "hyperpp/comm/error_kind.h"

#include <array>
#include <new>
#include <optional>
#include <utility>

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

/// What libtorch's allocators say about a lack of memory, from "not enough memory" on; or nothing.
std::optional<std::string> MemoryText(const std::exception& error) {
  const auto* torch_error = dynamic_cast<const c10::Error*>(&error);
  if (torch_error == nullptr) return std::nullopt;
  const std::string text = torch_error->what_without_backtrace();
  for (const char* start : {"not enough memory", "can't allocate memory", "out of memory"}) {
    const std::size_t at = text.find(start);
    if (at != std::string::npos) return text.substr(at, text.find('\n', at) - at);
  }
  return std::nullopt;
}

}  // namespace

std::string_view ErrorKind(const std::exception& error) {
  for (const Kind& kind : kKinds) {
    if (kind.matches(error)) return kind.name;
  }
  return ErrorStatus(error) == ExitStatus::kMachine ? "IoError" : "InternalError";
}

std::string ErrorText(const std::exception& error) {
  if (auto text = MemoryText(error)) return std::move(*text);
  if (const auto* torch_error = dynamic_cast<const c10::Error*>(&error)) {
    return torch_error->what_without_backtrace();
  }
  if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr) return "not enough memory";
  return error.what();
}

ExitStatus ErrorStatus(const std::exception& error) {
  return MemoryText(error) ? ExitStatus::kMachine : ExitStatusOf(error);
}

void ThrowShared(std::string_view kind, const std::string& text, int speaker) {
  for (const Kind& known : kKinds) {
    if (known.name == kind) known.raise(text, speaker);
  }
  throw InternalError(fmt::format("unknown kind of error '{}': {}", kind, text));
}

}  // namespace hyperpp::comm

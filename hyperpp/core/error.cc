#include "hyperpp/core/error.h"

#include <filesystem>
#include <new>

namespace hyperpp {

ExitStatus ExitStatusOf(const std::exception& error) {
  const auto is = [&]<typename... Kinds>() { return (dynamic_cast<const Kinds*>(&error) || ...); };
  if (is.operator()<ConfigError, PlanError, InputError>()) return ExitStatus::kInput;
  if (is.operator()<IoError, CommError, std::bad_alloc, std::filesystem::filesystem_error>())
    return ExitStatus::kMachine;
  if (is.operator()<NonFiniteError>()) return ExitStatus::kNonFinite;
  return ExitStatus::kDefect;
}

namespace internal {
void FailCheck(const char* file, int line, const std::string& text) {
  throw InternalError(fmt::format("{}, line {}: {}", file, line, text));
}
}  // namespace internal

}  // namespace hyperpp

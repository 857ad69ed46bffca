// Values of environment variables, checked.
#pragma once

#include <optional>
#include <string>

#include "hyperpp/launch/environment.h"

namespace hyperpp::launch {

/// Returns the integer in variable `name`, if it is set. Errors: ConfigError if it is no integer of
/// at least `least`.
std::optional<int> ReadNumber(const Environment& environment, const char* name, int least);

/// As ReadNumber; it is a ConfigError if the variable is not set while other rank variables are.
int RequireNumber(const Environment& environment, const char* name, int least);

/// The same for any text.
std::string RequireText(const Environment& environment, const char* name);

}  // namespace hyperpp::launch

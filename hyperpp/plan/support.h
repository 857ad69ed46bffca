// What the configuration can ask for and the engine cannot run: refused by name, before anything
// starts, instead of ignored. One line of the table per missing feature.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "hyperpp/config/config.h"

namespace hyperpp::plan {

/// Returns keys whose values ask for something unsupported, each with "<value> is not supported
/// yet; <what to do>".
std::vector<std::pair<std::string, std::string>> Unsupported(const config::Config& config);

}  // namespace hyperpp::plan

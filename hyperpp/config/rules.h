// Rules that tie several keys together and need no model.
//
// A rule names the keys it looks at. It is left out if one of them has a wrong value already, so
// that one mistake is reported once. Rules that need the model or the world size are in plan/.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "hyperpp/config/config.h"
#include "hyperpp/config/problems.h"

namespace hyperpp::config {

struct Rule {
  std::vector<std::string> keys;  // the first is the place of the message
  /// What is wrong and what to do; empty if the rule holds.
  std::function<std::optional<std::string>(const Config&)> check;
};

/// All rules, in the order of the sections.
std::vector<Rule> Rules();

/// Adds a line to `problems` for each rule that `config` breaks.
void CheckRules(const Config& config, Problems& problems);

}  // namespace hyperpp::config

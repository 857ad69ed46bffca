// What launch::IdentityFrom makes of given variables, for tests.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "hyperpp/core/error.h"
#include "hyperpp/launch/environment.h"

namespace hyperpp::launch {

using Variables = std::map<std::string, std::string>;

inline std::optional<comm::RankIdentity> IdentityOf(const Variables& variables) {
  return IdentityFrom([&](const char* name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    if (found == variables.end()) return std::nullopt;
    return found->second;
  });
}

/// Text of the ConfigError that the variables give.
inline std::string ErrorOf(const Variables& variables) {
  try {
    IdentityOf(variables);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "nothing was thrown";
}

}  // namespace hyperpp::launch

// The reference vectors that reference/make_reference.py wrote with transformers.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace hyperpp::models {

/// Reads reference/`name`.
nlohmann::json ReadReference(const std::string& name);

}  // namespace hyperpp::models

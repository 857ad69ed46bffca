// Changes on top of a config.json.
//
// A value replaces the value of the same field; objects are merged field by field; null is a value
// like any other. Some things have two spellings in config.json, of which transformers lets one
// win. So that an override is never lost to the other spelling in the file, the file's value gives
// way: rope_scaling to rope_parameters and the other way round, a rope_theta inside those to one
// outside, dtype to torch_dtype.
#pragma once

#include <nlohmann/json.hpp>

namespace hyperpp::models {

/// Changes `config` in place. REQUIRES: `overrides` is an object.
void ApplyOverrides(const nlohmann::json& overrides, nlohmann::json& config);

}  // namespace hyperpp::models

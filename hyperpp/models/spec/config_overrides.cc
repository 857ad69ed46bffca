#include "hyperpp/models/spec/config_overrides.h"

namespace hyperpp::models {
namespace {

using nlohmann::json;

// Renames `config`'s field `from` to `to` if `overrides` uses `to` alone.
void AdoptSpelling(const json& overrides, const char* from, const char* to, json& config) {
  if (!overrides.contains(to) || overrides.contains(from) || !config.contains(from)) return;
  json value = config[from];
  config.erase(from);
  const bool is_set = !value.is_null() && !value.empty();
  if (is_set || !config.contains(to)) config[to] = std::move(value);
}

}  // namespace

void ApplyOverrides(const json& overrides, json& config) {
  if (!config.is_object()) return;
  AdoptSpelling(overrides, "rope_scaling", "rope_parameters", config);
  AdoptSpelling(overrides, "rope_parameters", "rope_scaling", config);
  AdoptSpelling(overrides, "dtype", "torch_dtype", config);
  AdoptSpelling(overrides, "torch_dtype", "dtype", config);
  if (overrides.contains("rope_theta"))
    for (const char* name : {"rope_parameters", "rope_scaling"})
      if (config.contains(name) && config[name].is_object()) config[name].erase("rope_theta");
  config.update(overrides, /*merge_objects=*/true);
}

}  // namespace hyperpp::models

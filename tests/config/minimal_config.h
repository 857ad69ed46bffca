// The shortest valid configuration, and its refusals as text, for tests.
#pragma once

#include <string>
#include <vector>

#include "hyperpp/config/load.h"
#include "hyperpp/core/error.h"

namespace hyperpp::config {

/// Line 2 is model.path, 4 to 6 are training's keys, 8 optimizer.lr, 10 and 11 data, 13 output.
inline constexpr const char* kMinimal = R"(model:
  path: some/model
training:
  steps: 2
  global_batch_size: 8
  sequence_length: 32
optimizer:
  lr: 0.1
data:
  type: indexed
  path: some/tokens
output:
  directory: out
)";

/// kMinimal with `settings` on top.
inline Config Parse(const std::vector<std::string>& settings = {}) {
  return ParseConfig(kMinimal, "run.yaml", settings);
}

/// The message with which `text` is refused; empty if it is not.
inline std::string Refusal(const std::string& text, const std::vector<std::string>& settings = {}) {
  try {
    ParseConfig(text, "run.yaml", settings);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

/// The message with which kMinimal with `settings` is refused; empty if it is not.
inline std::string RefusalOf(const std::vector<std::string>& settings) {
  return Refusal(kMinimal, settings);
}

}  // namespace hyperpp::config

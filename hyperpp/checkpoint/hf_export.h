// Writes a model folder that `transformers` loads: config.json, model.safetensors (or shards with
// an index above a size limit), tokenizer and generation files.
//
// Tensors are asked for one at a time, so that no rank ever holds the whole model: on layouts with
// shards, asking is a collective that gathers one tensor. The folder appears when it is complete.
// Source: transformers 5.24, modeling_utils.py (save_pretrained).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include <ATen/core/Tensor.h>
#include <nlohmann/json.hpp>

#include "hyperpp/core/outline.h"

namespace hyperpp::checkpoint {

struct HfExport {
  std::string directory;
  ModelOutline outline;
  nlohmann::json config;  // written as config.json
  /// Returns one whole parameter, in any floating dtype and on any device. Called once for each, in
  /// the same order on all ranks; the result is not used where `is_writer` is false.
  std::function<at::Tensor(const ParameterOutline&)> tensor;
  std::map<std::string, at::ScalarType> dtypes;  // of the files, per parameter
  at::ScalarType default_dtype = at::kFloat;     // where `dtypes` says nothing
  std::string source_directory;                  // whose tokenizer files are copied; may be empty
  int64_t max_shard_bytes = 5'000'000'000;
  bool is_writer = true;  // rank 0; the other ranks only take part in `tensor`
};

/// Checks that a model may be written to `directory`: it is free, or holds nothing but a model.
/// Errors: ConfigError naming a file that an export would remove.
void CheckExportTarget(const std::string& directory);

/// Writes the model. After an error the writer still asks for the remaining tensors, so that other
/// ranks do not wait for it, and throws at the end; a folder of that name stays as it was.
/// Collective: all ranks that `tensor` gathers over.
/// Errors: IoError; ConfigError as CheckExportTarget.
void WriteHfModel(const HfExport& model);

/// dtype that a config.json gives for weights ("dtype", formerly "torch_dtype"); float32 if none.
/// Errors: InputError for a name other than float32, bfloat16 and float16.
at::ScalarType ConfigDtype(const nlohmann::json& config);

}  // namespace hyperpp::checkpoint

// Between checkpoints and Hugging Face models: `hyperpp checkpoint export` and `import`.
#pragma once

#include <cstdint>
#include <string>

#include <nlohmann/json.hpp>

#include "hyperpp/core/outline.h"

namespace hyperpp::checkpoint {

/// Writes the model of the checkpoint that `directory` means (ResolveResume) to the folder
/// `output`, under the names and dtypes of the model that training began with. The checkpoint is
/// all it needs, wherever it was moved. Errors: InputError for a damaged checkpoint; IoError;
/// ConfigError as CheckExportTarget.
void ExportCheckpoint(const std::string& directory, const std::string& output,
                      int64_t max_shard_bytes = 5'000'000'000);

/// Makes `output`/step_0 from the weights in `hf_directory`: parameters in the dtype of their file,
/// no optimizer state. `outline` and `config` are those of the model (LoadDecoderSpec). A run that
/// resumes from it starts at step 0 with fresh optimizer state. Returns the step folder.
/// Errors: InputError as HfWeights; IoError; ConfigError if `output` has later checkpoints.
std::string ImportHfModel(const std::string& hf_directory, const ModelOutline& outline,
                          const nlohmann::json& config, const std::string& output);

}  // namespace hyperpp::checkpoint

#include "hyperpp/checkpoint/convert.h"

#include <filesystem>
#include <utility>

#include "hyperpp/checkpoint/hf_export.h"
#include "hyperpp/checkpoint/hf_weights.h"
#include "hyperpp/checkpoint/reader.h"
#include "hyperpp/checkpoint/save.h"
#include "hyperpp/checkpoint/step_folders.h"
#include "hyperpp/core/error.h"

namespace hyperpp::checkpoint {

void ExportCheckpoint(const std::string& directory, const std::string& output,
                      int64_t max_shard_bytes) {
  CheckpointReader reader(ResolveResume(directory));
  const CheckpointState& state = reader.manifest().state;
  HfExport model;
  model.directory = output;
  model.outline = state.outline;
  model.config = state.model_config;
  model.dtypes = state.export_dtypes;
  model.default_dtype = ConfigDtype(state.model_config);
  model.source_directory = (std::filesystem::path(reader.folder()) / kModelFolder).string();
  model.max_shard_bytes = max_shard_bytes;
  model.tensor = [&](const ParameterOutline& parameter) {
    return reader.ReadWhole(parameter.fqn, kParameter);
  };
  WriteHfModel(model);
}

std::string ImportHfModel(const std::string& hf_directory, const ModelOutline& outline,
                          const nlohmann::json& config, const std::string& output) {
  const auto newest = NewestCheckpoint(output);
  if (newest && newest->step > 0)
    throw ConfigError(
        fmt::format("{}: has {}, which a run would resume from instead of the "
                    "imported model; choose another folder",
                    output, newest->path));
  const HfWeights weights(hf_directory);
  weights.Check(outline);
  SaveRequest request;
  request.directory = output;
  request.source_directory = hf_directory;
  request.state.outline = outline;
  request.state.model_config = config;
  for (const ParameterOutline& parameter : outline.parameters) {
    request.state.export_dtypes[parameter.fqn] = weights.Dtype(parameter.fqn);
    request.tensors.push_back({parameter.fqn, kParameter, parameter.shape,
                               std::vector<int64_t>(parameter.shape.size(), 0),
                               weights.View(parameter.fqn)});
  }
  return SaveCheckpoint(nullptr, request);
}

}  // namespace hyperpp::checkpoint

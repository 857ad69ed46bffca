#include "hyperpp/trainer/export_model.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include <ATen/ops/empty.h>

#include "hyperpp/checkpoint/hf_export.h"
#include "hyperpp/checkpoint/hf_weights.h"
#include "hyperpp/core/error.h"

namespace hyperpp::trainer {
namespace {

// A file of ours in the exported folder, for what Hugging Face's files have no place for.
constexpr const char* kExportNotes = "hyperpp.json";

at::Tensor ParameterNamed(const models::ParameterStore& store, const std::string& fqn) {
  const auto& weights = store.weights();
  const auto found =
      std::find_if(weights.begin(), weights.end(),
                   [&](const models::Weight* weight) { return weight->fqn() == fqn; });
  HYPERPP_CHECK(found != weights.end(), "parameter {}", fqn);
  return (*found)->parameter().detach();
}

// The parameter on rank 0, sent by the rank of the first replica that owns it; undefined elsewhere.
at::Tensor FetchToFirst(const ParameterOutline& parameter, const BuiltModel& model,
                        comm::World& world) {
  const int owner = world.layout()
                        .GroupOf(0, {Axis::kPipeline})
                        .at(static_cast<std::size_t>(model.pipeline->OwnerOf(parameter.fqn)));
  if (world.rank() == owner) {
    const at::Tensor value = ParameterNamed(*model.store, parameter.fqn);
    if (owner == 0) return value;
    world.Control().Send(value.cpu().contiguous(), 0)->Wait();
  } else if (world.rank() == 0) {
    at::Tensor value = at::empty(parameter.shape, at::kFloat);
    world.Control().Receive(value, owner)->Wait();
    return value;
  }
  return {};
}

}  // namespace

std::map<std::string, at::ScalarType> ExportDtypes(const RunInputs& inputs) {
  std::map<std::string, at::ScalarType> dtypes;
  if (inputs.pretrained) {
    const checkpoint::HfWeights files(inputs.config.model.path);
    for (const std::string& name : files.Names()) dtypes[name] = files.Dtype(name);
  } else {
    const at::ScalarType dtype = checkpoint::ConfigDtype(inputs.spec.source);
    for (const auto& parameter : inputs.spec.Outline().parameters) dtypes[parameter.fqn] = dtype;
  }
  return dtypes;
}

void ExportModel(const RunInputs& inputs, const BuiltModel& built, comm::World& world,
                 const std::string& folder) {
  checkpoint::HfExport model;
  model.directory = folder;
  model.outline = inputs.spec.Outline();
  model.config = inputs.spec.source;
  model.tensor = [&](const ParameterOutline& parameter) {
    return FetchToFirst(parameter, built, world);
  };
  model.is_writer = world.rank() == 0;
  model.dtypes = ExportDtypes(inputs);
  model.default_dtype = checkpoint::ConfigDtype(inputs.spec.source);
  model.source_directory = inputs.config.model.path;
  world.Agree([&] { checkpoint::WriteHfModel(model); });
  if (model.is_writer && inputs.config.data.tokenizer == "bytes")
    std::ofstream(std::filesystem::path(folder) / kExportNotes)
        << nlohmann::json{{"tokenizer", "bytes"}} << "\n";
}

std::string ExportedTokenizer(const std::string& folder) {
  std::ifstream in(std::filesystem::path(folder) / kExportNotes);
  const auto notes = nlohmann::json::parse(in, nullptr, /*allow_exceptions=*/false);
  return notes.is_object() ? notes.value("tokenizer", "") : "";
}

}  // namespace hyperpp::trainer

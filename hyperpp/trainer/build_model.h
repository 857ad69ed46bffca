// From a model's numbers to a model with memory: built whole on the meta device, cut into this
// rank's stages, parallelised, materialised. No tensor of the model exists twice on the way, and
// none of another rank's stages at all. initial_weights.h gives the values.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "hyperpp/comm/world.h"
#include "hyperpp/core/trace.h"
#include "hyperpp/models/decoder.h"
#include "hyperpp/models/parameter_store.h"
#include "hyperpp/parallel/fsdp/fully_sharded.h"
#include "hyperpp/pipeline/runtime/auto_pipeline.h"
#include "hyperpp/trainer/device.h"
#include "hyperpp/trainer/run_inputs.h"

namespace hyperpp::trainer {

struct BuiltModel {
  std::shared_ptr<models::Decoder> decoder;
  std::unique_ptr<parallel::FullySharded> sharding;  // null where dp_shard is 1
  std::unique_ptr<pipeline::AutoPipeline> pipeline;  // null for generation
  std::unique_ptr<models::ParameterStore> store;     // of the weights that this rank holds
  // Per parameter, once values are set: of the files they came from, or what config.json says.
  std::map<std::string, at::ScalarType> export_dtypes;
};

/// Builds the model of a run and cuts it for this rank; it has no memory yet. `trace` may be null.
/// Collective: all ranks. Errors: PlanError.
BuiltModel BuildStages(const RunInputs& inputs, comm::World& world, const RunDevice& device,
                       Trace* trace);

/// Builds the whole model of `spec`, without stages: for generation.
BuiltModel BuildWhole(const models::DecoderSpec& spec);

/// Gives memory to what this rank owns of the weights that it holds; values are not set yet.
/// `world`: null for generation. Collective: all ranks of the world, if the weights are sharded.
void MaterialiseModel(BuiltModel& model, comm::World* world, const RunDevice& device,
                      bool with_gradients);

/// Whether this rank is the one that counts, saves and exports its owned elements of `weight`: of
/// stages that share it the first, of replicas and context-parallel ranks the first, and of
/// tensor-parallel ranks the first where it is not split.
bool CountsHere(const models::Weight& weight, const BuiltModel& model, comm::World& world);

}  // namespace hyperpp::trainer

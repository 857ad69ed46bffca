#include "hyperpp/trainer/build_model.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "hyperpp/core/error.h"
#include "hyperpp/models/spec/families.h"
#include "hyperpp/parallel/context/context_parallel.h"
#include "hyperpp/parallel/recompute/recompute.h"
#include "hyperpp/parallel/tensor/apply.h"
#include "hyperpp/trainer/microbatch.h"

namespace hyperpp::trainer {
namespace {

// The module and the family's outline are two accounts of the same model; names and shapes must
// agree.
void CheckAgainstOutline(const std::vector<models::Weight*>& weights, const ModelOutline& outline) {
  HYPERPP_CHECK_EQ(weights.size(), outline.parameters.size(), "parameters of the model");
  for (const ParameterOutline& parameter : outline.parameters) {
    const auto found = std::find_if(weights.begin(), weights.end(), [&](const auto* weight) {
      return weight->fqn() == parameter.fqn;
    });
    HYPERPP_CHECK(found != weights.end(), "parameter {}", parameter.fqn);
    HYPERPP_CHECK((*found)->full_shape() == parameter.shape, "shape of {}", parameter.fqn);
  }
}

// The plan has decided the split, also where the configuration leaves it open.
pipeline::PipelineOptions PipelineOptionsOf(const RunInputs& inputs, at::Device device,
                                            Trace* trace) {
  const config::PipelineSection& section = inputs.config.pipeline;
  pipeline::PipelineOptions options{.microbatch_size = inputs.plan.batch.microbatch,
                                    .p2p_overlap = section.p2p_overlap,
                                    .p2p_multi_stream = section.p2p_multi_stream,
                                    .device = device,
                                    .trace = trace};
  if (!inputs.plan.schedule.empty()) options.schedule = inputs.plan.schedule;
  for (const plan::StagePlan& stage : inputs.plan.stages) {
    if (stage.layers.rank == 0) options.split.emplace_back();
    options.split.back().push_back(stage.layers.num_layers);
  }
  return options;
}

parallel::ContextMethod MethodOf(config::ContextMethod method) {
  switch (method) {
    case config::ContextMethod::kAllGather:
      return parallel::ContextMethod::kAllGather;
    case config::ContextMethod::kRing:
      return parallel::ContextMethod::kRing;
    case config::ContextMethod::kAllToAll:
      return parallel::ContextMethod::kAllToAll;
  }
  throw InternalError("unknown context-parallel method");
}

// What the parallel dimensions do to one stage, while it is on the meta device.
void ParallelizeStage(BuiltModel& model, const pipeline::StageRange& stage,
                      const config::Config& config, comm::World& world) {
  if (world.layout().Degree(Axis::kContext) > 1) {
    const config::ContextParallelSection& context = config.context_parallel;
    const TokenShare share = TokenShareOf(world.layout(), world.rank(), context.load_balance);
    parallel::ApplyContextParallel(*model.decoder, stage.first_layer, stage.end_layer,
                                   MethodOf(context.method), world.Along({Axis::kContext}),
                                   share.cut);
  }
  const config::ActivationSection& activation = config.activation;
  if (activation.recompute != config::Recompute::kNone) {
    const auto kind = activation.recompute == config::Recompute::kFull
                          ? parallel::RecomputeKind::kFull
                          : parallel::RecomputeKind::kSelective;
    parallel::ApplyRecompute(*model.decoder, stage.first_layer, stage.end_layer, kind,
                             activation.layers);
  }
  // Outermost, so that a layer that is run again finds its weights gathered.
  if (model.sharding) model.sharding->AddStage(*model.decoder, stage);
}

parallel::FsdpOptions ShardingOptionsOf(const config::FsdpSection& section) {
  return {.reshard_after_forward = section.reshard_after_forward,
          .prefetch = static_cast<int>(section.prefetch),
          .comm_fusion = section.comm_fusion};
}

}  // namespace

BuiltModel BuildWhole(const models::DecoderSpec& spec) {
  BuiltModel model;
  model.decoder = std::make_shared<models::Decoder>(spec);
  CheckAgainstOutline(models::CollectWeights(*model.decoder), spec.Outline());
  return model;
}

BuiltModel BuildStages(const RunInputs& inputs, comm::World& world, const RunDevice& device,
                       Trace* trace) {
  BuiltModel model = BuildWhole(inputs.spec);
  for (models::Weight* weight : models::CollectWeights(*model.decoder))
    weight->set_trainable(inputs.plan.trainable.contains(weight->fqn()));
  model.decoder->set_run({.sequence_length = inputs.config.training.sequence_length,
                          .dropout_seed = static_cast<uint64_t>(inputs.config.training.seed),
                          .compute_dtype = device.compute_dtype});
  parallel::ApplyTensorParallel(
      *model.decoder, models::FindFamily(inputs.spec.family)->tensor_placements(),
      world.Along({Axis::kTensor}), inputs.config.accelerator.sequence_parallel);
  if (world.layout().Degree(Axis::kShard) > 1)
    model.sharding =
        std::make_unique<parallel::FullySharded>(ShardingOptionsOf(inputs.config.fsdp));
  pipeline::PipelineOptions options = PipelineOptionsOf(inputs, device.device, trace);
  options.sharding = model.sharding.get();
  model.pipeline = std::make_unique<pipeline::AutoPipeline>(world, std::move(options));
  model.pipeline->build(
      model.decoder,
      [&](torch::nn::Module&, const pipeline::StageRange& stage) {
        ParallelizeStage(model, stage, inputs.config, world);
      },
      inputs.plan.batch.local);
  return model;
}

void MaterialiseModel(BuiltModel& model, comm::World* world, const RunDevice& device,
                      bool with_gradients) {
  if (model.sharding) {
    comm::Group& gather = world->Along({Axis::kShard}, "gather weights");
    comm::Group& reduce = world->Along({Axis::kShard}, "reduce gradients");
    model.store = std::make_unique<models::ParameterStore>(
        model.sharding->unit_lists(), gather.rank(), gather.size(), device.device,
        device.compute_dtype, with_gradients);
    model.sharding->Attach(*model.store, {gather, reduce}, device.device);
    return;
  }
  std::vector<models::Weight*> weights = models::CollectWeights(*model.decoder);
  if (model.pipeline)
    std::erase_if(weights,
                  [&](const auto* weight) { return !model.pipeline->Holds(weight->fqn()); });
  model.store = std::make_unique<models::ParameterStore>(std::move(weights), device.device,
                                                         device.compute_dtype, with_gradients);
}

bool CountsHere(const models::Weight& weight, const BuiltModel& model, comm::World& world) {
  const auto is_first = [&](Axis axis) {
    return world.layout().Coordinate(world.rank(), axis) == 0;
  };
  return model.pipeline->Owns(weight.fqn()) && is_first(Axis::kReplicate) &&
         is_first(Axis::kContext) && (weight.IsSplit() || is_first(Axis::kTensor)) &&
         (weight.IsSharded() || is_first(Axis::kShard));
}

}  // namespace hyperpp::trainer

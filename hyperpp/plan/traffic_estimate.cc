#include "hyperpp/plan/traffic_estimate.h"

#include <algorithm>
#include <string>

#include "hyperpp/plan/pass_memory.h"
#include "hyperpp/plan/stages.h"
#include "hyperpp/plan/weight_units.h"

namespace hyperpp::plan {
namespace {

constexpr int64_t kFp32Bytes = 4;
constexpr int64_t kHeadNumbersBytes = 16;  // two doubles per token; kernels/cross_entropy.h

// One pipeline rank.
struct Place {
  const config::Config& config;
  const ModelOutline& outline;
  const ModelFacts& facts;
  const TrainPlan& plan;
  int rank;
  std::vector<WeightGroup> groups;

  int64_t Degree(Axis axis) const { return plan.mesh.Degree(axis); }
  int64_t NumMicrobatches() const { return plan.batch.num_microbatches; }
  bool IsPipelined() const { return !plan.schedule.empty(); }

  std::vector<StagePlan> Stages() const {
    std::vector<StagePlan> own;
    std::copy_if(plan.stages.begin(), plan.stages.end(), std::back_inserter(own),
                 [&](const StagePlan& stage) { return stage.layers.rank == rank; });
    return own;
  }
  bool HoldsEmbedding() const { return plan.stages.front().layers.rank == rank; }
  bool HoldsHead() const { return plan.stages.back().layers.rank == rank; }
  bool IsTied() const { return !outline.tied.empty(); }
};

int64_t OwnedGradientBytes(const Place& place) {
  int64_t elements = 0;
  for (const WeightGroup& group : place.groups) elements += group.NumShardElements();
  return kFp32Bytes * elements;
}

int64_t PipelineBytes(const Place& place) {
  if (place.Degree(Axis::kPipeline) == 1) return 0;
  int64_t boundaries = 0;
  for (const StagePlan& stage : place.Stages()) boundaries += !stage.is_first + !stage.is_last;
  int64_t bytes =
      boundaries * place.NumMicrobatches() * BoundaryBytes(place.config, place.facts, place.plan);
  if (place.IsTied() && place.HoldsEmbedding() != place.HoldsHead()) {
    for (const WeightGroup& group : place.groups)
      if (group.kind == GroupKind::kEmbedding) bytes += kFp32Bytes * group.NumTrainable();
  }
  return bytes;
}

int64_t GatheredBytes(const Place& place, const WeightGroup& group) {
  return group.GatheredBytes(ComputeBytes(place.config));
}

// How often a step gathers `group`.
int64_t NumGathers(const Place& place, const WeightGroup& group) {
  const int64_t passes = place.NumMicrobatches();
  if (!place.config.fsdp.reshard_after_forward) return 1;
  switch (group.kind) {
    case GroupKind::kEmbedding:  // a tied head reads it once more
      return place.IsTied() && place.HoldsEmbedding() && place.HoldsHead() ? 2 * passes : passes;
    case GroupKind::kHead:
      return passes;
    case GroupKind::kFinalNorm:
      return 2 * passes;
    case GroupKind::kLayer:
      break;
  }
  // Nothing comes before the first layer of a later stage, so it stays for the stage's next pass.
  const auto stages = place.Stages();
  const bool stays = std::any_of(stages.begin(), stages.end(), [&](const StagePlan& stage) {
    return !stage.is_first && stage.layers.first_layer == group.layer;
  });
  return stays ? passes + 1 : 2 * passes;
}

int64_t ShardBytes(const Place& place) {
  if (place.Degree(Axis::kShard) == 1) return 0;
  const int64_t num_reductions = place.IsPipelined() ? 1 : place.NumMicrobatches();
  int64_t bytes = 0;
  for (const WeightGroup& group : place.groups) {
    bytes += NumGathers(place, group) * GatheredBytes(place, group);
    for (const WeightUnit& unit : group.units)
      if (unit.num_trainable > 0) bytes += num_reductions * kFp32Bytes * unit.numel;
  }
  return bytes;
}

// Of one layer and microbatch; the backward pass runs `num_forwards` - 1 of the forward passes.
int64_t ContextBytesOfLayer(const Place& place, int64_t num_forwards) {
  const ModelFacts& facts = place.facts;
  const int64_t ranks = place.Degree(Axis::kContext), element = ComputeBytes(place.config);
  const int64_t head = TokensOnRank(place.plan) * facts.head_dim;
  const int64_t tensor = place.Degree(Axis::kTensor);
  const int64_t kv_elements = 2 * head * facts.num_key_value_heads / tensor;
  switch (place.config.context_parallel.method) {
    case config::ContextMethod::kAllGather:
      return ranks * kv_elements * ((num_forwards + 1) * element + kFp32Bytes);
    case config::ContextMethod::kRing:
      return (ranks - 1) * kv_elements * ((num_forwards + 1) * element + kFp32Bytes);
    case config::ContextMethod::kAllToAll:
      return (num_forwards + 1) * element * (2 * head * facts.num_heads / tensor + kv_elements);
  }
  return 0;
}

// Of one layer and microbatch: two regions, each with an exchange per direction.
int64_t TensorBytesOfLayer(const Place& place, config::Recompute recompute) {
  const int64_t hidden =
      TokensOnRank(place.plan) * place.facts.hidden_size * ComputeBytes(place.config);
  const bool sequence = place.config.accelerator.sequence_parallel;
  const int64_t bytes = (sequence ? 8 : 4) * hidden;
  switch (recompute) {
    case config::Recompute::kNone:
      return bytes;
    case config::Recompute::kSelective:  // outputs of the norms are gathered again
      return bytes + (sequence ? 2 : 0) * hidden;
    case config::Recompute::kFull:  // the forward pass again
      return bytes + (sequence ? 4 : 2) * hidden;
  }
  return bytes;
}

// Weights that all tensor-parallel ranks hold, each with a part of their gradient.
int64_t PartialGradientBytes(const Place& place) {
  int64_t elements = 0;
  for (const ParameterOutline& parameter : place.outline.parameters) {
    if (parameter.shape.size() != 1 || parameter.fqn.ends_with(".bias")) continue;
    const bool of_heads = parameter.fqn.find("q_norm") != std::string::npos ||
                          parameter.fqn.find("k_norm") != std::string::npos;
    if (!of_heads && !place.config.accelerator.sequence_parallel) continue;
    if (!place.plan.trainable.contains(parameter.fqn)) continue;
    elements += CopiesOnRank(parameter, place.outline, place.facts, place.plan.stages, place.rank) *
                parameter.NumElements() / place.Degree(Axis::kShard);
  }
  return kFp32Bytes * elements;
}

int64_t TensorBytes(const Place& place) {
  const int64_t tensor = place.Degree(Axis::kTensor);
  if (tensor == 1) return 0;
  const int64_t tokens = TokensOnRank(place.plan);
  // The embedding and the head have one region together with the layers around them.
  const int64_t end = tokens * place.facts.hidden_size * ComputeBytes(place.config) *
                      (place.config.accelerator.sequence_parallel ? 2 : 1);
  int64_t bytes = end * (place.HoldsEmbedding() + place.HoldsHead());
  if (place.HoldsHead()) bytes += kHeadNumbersBytes * tensor * tokens;
  for (const StagePlan& stage : place.Stages()) {
    for (int64_t i = 0; i < stage.layers.num_layers; ++i)
      bytes += TensorBytesOfLayer(
          place, RecomputeOf(place.config.activation, stage.layers.first_layer + i));
  }
  return place.NumMicrobatches() * bytes + PartialGradientBytes(place);
}

int64_t ContextBytes(const Place& place) {
  if (place.Degree(Axis::kContext) == 1) return 0;
  int64_t bytes = 0;
  for (const StagePlan& stage : place.Stages()) {
    for (int64_t i = 0; i < stage.layers.num_layers; ++i) {
      const bool again = RecomputeOf(place.config.activation, stage.layers.first_layer + i) ==
                         config::Recompute::kFull;
      bytes += ContextBytesOfLayer(place, again ? 2 : 1);
    }
  }
  return place.NumMicrobatches() * bytes + OwnedGradientBytes(place);
}

}  // namespace

std::vector<TrafficEstimate> EstimateTraffic(const config::Config& config,
                                             const ModelOutline& outline, const ModelFacts& facts,
                                             const TrainPlan& plan) {
  std::vector<TrafficEstimate> estimates;
  for (int rank = 0; rank < plan.mesh.Degree(Axis::kPipeline); ++rank) {
    const Place place{config, outline, facts,
                      plan,   rank,    GroupsOnRank(config, outline, facts, plan, rank)};
    // One exchange sums gradients over dp_replicate and cp; it counts where cp is 1 as the former.
    const bool replicated = place.Degree(Axis::kReplicate) > 1;
    const bool in_context = place.Degree(Axis::kContext) > 1;
    estimates.push_back(
        {.pipeline_bytes = PipelineBytes(place),
         .replicate_bytes = replicated && !in_context ? OwnedGradientBytes(place) : 0,
         .shard_bytes = ShardBytes(place),
         .context_bytes = ContextBytes(place),
         .tensor_bytes = TensorBytes(place)});
  }
  return estimates;
}

}  // namespace hyperpp::plan

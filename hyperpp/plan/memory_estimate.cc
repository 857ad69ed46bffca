#include "hyperpp/plan/memory_estimate.h"

#include <algorithm>
#include <map>

#include "hyperpp/pipeline/schedule/receive_early.h"
#include "hyperpp/pipeline/schedule/schedules.h"
#include "hyperpp/plan/pass_memory.h"
#include "hyperpp/plan/planned_schedule.h"
#include "hyperpp/plan/step_peak.h"
#include "hyperpp/plan/weight_units.h"

namespace hyperpp::plan {
namespace {

constexpr int64_t kMasterBytes = 4;          // fp32 weights, gradients and moments
constexpr int64_t kReductionsAtOnce = 3;     // two under way, one to come; fully_sharded.cc
constexpr int64_t kBatchBytesPerToken = 24;  // ids, labels, positions, document starts

using Groups = std::vector<WeightGroup>;

int64_t MomentsPerWeight(const config::OptimizerSection& optimizer) {
  if (optimizer.type == config::OptimizerType::kAdamW) return 2;
  return optimizer.momentum > 0 ? 1 : 0;
}

template <typename Size>
int64_t SumOf(const Groups& groups, Size size) {
  int64_t sum = 0;
  for (const WeightGroup& group : groups) sum += size(group);
  return sum;
}

// Embedding and head have one size; where one is done before the other starts, one buffer serves
// both.
enum class Vocabulary { kOneBuffer, kTwoBuffers };

// Bytes of `num_layers` layers, whose buffers go from one to the next, and of the other groups.
template <typename Size>
int64_t SomeGroups(const Groups& groups, int64_t num_layers, Vocabulary kind, Size size) {
  int64_t layer = 0, all_layers = 0, norm = 0, largest = 0, both = 0;
  for (const WeightGroup& group : groups) {
    const int64_t bytes = size(group);
    if (group.kind == GroupKind::kLayer) {
      layer = std::max(layer, bytes);
      all_layers += bytes;
    } else if (group.kind == GroupKind::kFinalNorm) {
      norm = bytes;
    } else {
      largest = std::max(largest, bytes);
      both += bytes;
    }
  }
  return std::min(num_layers * layer, all_layers) + norm +
         (kind == Vocabulary::kOneBuffer ? largest : both);
}

int64_t CopiedWeights(const Groups& groups, const config::Config& config) {
  const int64_t bytes = ComputeBytes(config);
  if (bytes == kMasterBytes) return 0;  // the master weights are used themselves
  return bytes * SumOf(groups, [](const auto& group) { return group.NumShardElements(); });
}

// Each chunk of a rank can leave a layer gathered for its next pass.
int64_t GatheredWeights(const Groups& groups, const config::Config& config, const TrainPlan& plan) {
  if (plan.mesh.Degree(Axis::kShard) == 1) return 0;
  const auto bytes = [&](const WeightGroup& group) {
    return group.GatheredBytes(ComputeBytes(config));
  };
  if (!config.fsdp.reshard_after_forward) return SumOf(groups, bytes);
  return SomeGroups(groups, config.fsdp.prefetch + ShapeOf(plan).num_chunks, Vocabulary::kOneBuffer,
                    bytes);
}

// Whole gradients of sharded weights, and the parts that came back. A pipeline reduces them once a
// step. Else the embedding's of one microbatch is under way when the head's of the next comes up.
int64_t UnreducedGradients(const Groups& groups, const TrainPlan& plan) {
  if (plan.mesh.Degree(Axis::kShard) == 1) return 0;
  const auto whole = [](const auto& group) { return kMasterBytes * group.NumElements(); };
  const auto shard = [](const auto& group) { return kMasterBytes * group.NumShardElements(); };
  const bool several = plan.batch.num_microbatches > 1, pipelined = !plan.schedule.empty();
  const auto vocabulary = several && !pipelined ? Vocabulary::kTwoBuffers : Vocabulary::kOneBuffer;
  const int64_t shards = SomeGroups(groups, kReductionsAtOnce, vocabulary, shard);
  if (several && pipelined) return SumOf(groups, whole) + shards;
  return SomeGroups(groups, kReductionsAtOnce, vocabulary, whole) + shards;
}

// Over Gloo all ranks' terms of a sum arrive, and stay until the reduction is waited for. When
// activations are most, these are the last two reductions of the microbatch before (the model's
// first two groups), or the head's.
int64_t TermsOverGloo(const Groups& groups, const config::Config& config, const TrainPlan& plan) {
  if (plan.mesh.Degree(Axis::kShard) == 1) return 0;
  if (config.accelerator.device == config::DeviceType::kCuda) return 0;
  int64_t elements = 0;
  if (plan.schedule.empty() && plan.batch.num_microbatches > 1) {
    for (std::size_t i = 0; i < std::min<std::size_t>(2, groups.size()); ++i)
      elements += groups[i].NumElements();
  } else if (groups.back().kind == GroupKind::kHead) {
    elements = groups.back().NumElements();
  }
  return kMasterBytes * elements;
}

// The actions that the executor runs; one rank runs one pass after the other.
pipeline::Schedule ScheduleToRun(const TrainPlan& plan) {
  const std::string name = plan.schedule.empty() ? "1f1b" : plan.schedule;
  pipeline::Schedule schedule = pipeline::MakeSchedule(name, ShapeOf(plan));
  return plan.p2p_overlap ? pipeline::ReceiveEarly(std::move(schedule)) : schedule;
}

std::map<pipeline::StageIndex, PassMemory> PassesOf(const config::Config& config,
                                                    const ModelFacts& facts, const TrainPlan& plan,
                                                    int rank) {
  std::map<pipeline::StageIndex, PassMemory> passes;
  for (const StagePlan& stage : plan.stages) {
    if (stage.layers.rank == rank)
      passes[{static_cast<int>(stage.layers.stage)}] = MemoryOfPass(config, facts, plan, stage);
  }
  return passes;
}

}  // namespace

int InFlightPasses(const TrainPlan& plan, int rank) {
  if (plan.schedule.empty()) return 1;
  return pipeline::FindSchedule(plan.schedule).in_flight_bound(ShapeOf(plan), rank);
}

std::vector<MemoryEstimate> EstimateMemory(const config::Config& config,
                                           const ModelOutline& outline, const ModelFacts& facts,
                                           const TrainPlan& plan) {
  const pipeline::Schedule schedule = ScheduleToRun(plan);
  const int64_t batch_bytes =
      kBatchBytesPerToken * plan.batch.num_microbatches * TokensOnRank(plan);
  std::vector<MemoryEstimate> estimates;
  for (int rank = 0; rank < plan.mesh.Degree(Axis::kPipeline); ++rank) {
    const Groups groups = GroupsOnRank(config, outline, facts, plan, rank);
    const int64_t owned = SumOf(groups, [](const auto& group) { return group.NumShardElements(); });
    const int64_t trainable = SumOf(groups, [](const auto& group) { return group.NumTrainable(); });
    const StepPeak peak = PeakOfStep(schedule.ranks[static_cast<std::size_t>(rank)],
                                     PassesOf(config, facts, plan, rank), plan.p2p_overlap);
    estimates.push_back(
        {.weights_bytes = kMasterBytes * owned,
         .gradients_bytes = kMasterBytes * owned,
         .optimizer_bytes = kMasterBytes * MomentsPerWeight(config.optimizer) * trainable,
         .compute_weights_bytes =
             CopiedWeights(groups, config) + GatheredWeights(groups, config, plan),
         .activations_bytes = peak.kept,
         .workspace_bytes = peak.workspace + batch_bytes,
         .communication_bytes = peak.messages + UnreducedGradients(groups, plan) +
                                TermsOverGloo(groups, config, plan)});
  }
  return estimates;
}

}  // namespace hyperpp::plan

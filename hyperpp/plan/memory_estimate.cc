#include "hyperpp/plan/memory_estimate.h"

#include <algorithm>
#include <map>

#include "hyperpp/pipeline/schedule/schedules.h"
#include "hyperpp/plan/planned_schedule.h"
#include "hyperpp/plan/stages.h"

namespace hyperpp::plan {
namespace {

constexpr int64_t kMasterBytes = 4;  // fp32 weights, gradients and moments

int64_t CeilDivide(int64_t a, int64_t b) { return (a + b - 1) / b; }

int64_t ComputeBytes(const config::Config& config) {
  return config.precision.compute_dtype == config::ComputeDType::kBFloat16 ? 2 : 4;
}

int64_t MomentsPerWeight(const config::OptimizerSection& optimizer) {
  if (optimizer.type == config::OptimizerType::kAdamW) return 2;
  return optimizer.momentum > 0 ? 1 : 0;
}

// Sizes of one parameter on one rank, in elements.
struct LocalSize {
  int64_t gathered = 0;  // after tensor or expert parallelism
  int64_t shard = 0;     // what the rank owns of it
};

LocalSize SizeOnRank(const ParameterOutline& parameter, const MeshLayout& mesh) {
  const int64_t tensor = mesh.Degree(Axis::kTensor), shard = mesh.Degree(Axis::kShard);
  LocalSize size{.gathered = parameter.NumElements()};
  int64_t shard_degree = shard;
  if (IsExpert(parameter)) {
    size.gathered = CeilDivide(size.gathered, mesh.ExpertDegree());
    const int64_t block = shard * mesh.Degree(Axis::kContext) * tensor;
    shard_degree = shard > 1 ? std::max<int64_t>(block / mesh.ExpertDegree(), 1) : 1;
  } else if (parameter.shape.size() >= 2) {
    size.gathered = CeilDivide(size.gathered, tensor);
  }
  size.shard = CeilDivide(size.gathered, shard_degree);
  return size;
}

// Weights of one layer in the type of computation, and what of them is there at once.
int64_t ComputeWeightsBytes(const std::map<int64_t, int64_t>& gathered_of_layer,
                            const config::Config& config, const MeshLayout& mesh) {
  const bool sharded = mesh.Degree(Axis::kShard) > 1;
  const int64_t bytes = ComputeBytes(config);
  if (!sharded && bytes == kMasterBytes) return 0;  // the master weights are used themselves
  int64_t all = 0, largest = 0;
  for (const auto& [layer, elements] : gathered_of_layer) {
    all += elements;
    largest = std::max(largest, elements);
  }
  if (!sharded || !config.fsdp.reshard_after_forward) return all * bytes;
  return std::min(all, (1 + config.fsdp.prefetch) * largest) * bytes;
}

// Elements that one layer keeps per token for its backward pass.
struct LayerActivations {
  double all = 0;    // without recomputation
  double input = 0;  // the layer's input alone
  double cheap = 0;  // what selective recomputation drops
};

LayerActivations ActivationsPerToken(const config::Config& config, const ModelFacts& facts,
                                     const MeshLayout& mesh) {
  const auto tensor = static_cast<double>(mesh.Degree(Axis::kTensor));
  const int64_t value_dim = facts.value_head_dim > 0 ? facts.value_head_dim : facts.head_dim;
  const int64_t kv_heads =
      facts.num_key_value_heads > 0 ? facts.num_key_value_heads : facts.num_heads;
  const int64_t width = facts.num_experts > 0
                            ? facts.moe_intermediate_size * facts.num_experts_per_token
                            : facts.intermediate_size;
  const double residual = static_cast<double>(facts.hidden_size) /
                          (config.accelerator.sequence_parallel ? tensor : 1.0);
  const auto attention =
      static_cast<double>((facts.num_heads + kv_heads) * (facts.head_dim + value_dim));
  const auto inner = static_cast<double>(width);
  // Matrices read the norms' outputs for all tokens, also where the residual stream is split.
  const auto normed = static_cast<double>(facts.hidden_size);
  return {.all = 2 * residual + 2 * normed + (attention + 3 * inner) / tensor,
          .input = residual,
          .cheap = 2 * normed + inner / tensor};
}

int64_t ActivationBytes(const config::Config& config, const ModelFacts& facts,
                        const TrainPlan& plan, int rank) {
  int64_t num_layers = 0, num_chunks = 0;
  for (const StagePlan& stage : plan.stages) {
    if (stage.layers.rank != rank) continue;
    num_layers += stage.layers.num_layers;
    ++num_chunks;
  }
  const LayerActivations kept = ActivationsPerToken(config, facts, plan.mesh);
  const double layers_per_pass =
      static_cast<double>(num_layers) / static_cast<double>(std::max<int64_t>(num_chunks, 1));
  const double passes = InFlightPasses(plan, rank);
  double elements = layers_per_pass * passes * kept.all;
  if (config.activation.recompute == config::Recompute::kSelective) {
    elements = layers_per_pass * passes * (kept.all - kept.cheap);
  } else if (config.activation.recompute == config::Recompute::kFull) {
    elements = layers_per_pass * passes * kept.input + kept.all;
  }
  const double tokens = static_cast<double>(plan.batch.microbatch * plan.batch.sequence_length) /
                        static_cast<double>(plan.mesh.Degree(Axis::kContext));
  return static_cast<int64_t>(elements * tokens * static_cast<double>(ComputeBytes(config)));
}

}  // namespace

int InFlightPasses(const TrainPlan& plan, int rank) {
  if (plan.schedule.empty()) return 1;
  return pipeline::FindSchedule(plan.schedule).in_flight_bound(ShapeOf(plan), rank);
}

std::vector<MemoryEstimate> EstimateMemory(const config::Config& config,
                                           const ModelOutline& outline, const ModelFacts& facts,
                                           const TrainPlan& plan) {
  std::vector<MemoryEstimate> estimates;
  for (int rank = 0; rank < plan.mesh.Degree(Axis::kPipeline); ++rank) {
    MemoryEstimate memory;
    std::map<int64_t, int64_t> gathered_of_layer;
    for (const ParameterOutline& parameter : outline.parameters) {
      const int64_t copies = CopiesOnRank(parameter, outline, facts, plan.stages, rank);
      if (copies == 0) continue;
      const LocalSize size = SizeOnRank(parameter, plan.mesh);
      memory.weights_bytes += copies * kMasterBytes * size.shard;
      gathered_of_layer[parameter.layer] += copies * size.gathered;
      if (!plan.trainable.contains(parameter.fqn)) continue;
      memory.gradients_bytes += copies * kMasterBytes * size.shard;
      memory.optimizer_bytes +=
          copies * kMasterBytes * MomentsPerWeight(config.optimizer) * size.shard;
    }
    memory.compute_weights_bytes = ComputeWeightsBytes(gathered_of_layer, config, plan.mesh);
    memory.activations_bytes = ActivationBytes(config, facts, plan, rank);
    estimates.push_back(memory);
  }
  return estimates;
}

}  // namespace hyperpp::plan

#include "hyperpp/plan/pass_memory.h"

#include <algorithm>

#include "hyperpp/plan/weight_units.h"

namespace hyperpp::plan {
namespace {

constexpr int64_t kFp32Bytes = 4;

// Bytes of the tensors of one microbatch that the formulas in the header are made of.
struct TensorBytes {
  int64_t residual = 0;   // the residual stream
  int64_t hidden = 0;     // hidden states of all tokens
  int64_t attention = 0;  // q, k, v and the output, with log-sum-exp
  int64_t inner = 0;      // gate, up or their product
};

TensorBytes BytesOfTensors(const config::Config& config, const ModelFacts& facts,
                           const TrainPlan& plan) {
  const int64_t tensor = plan.mesh.Degree(Axis::kTensor);
  const int64_t value_dim = facts.value_head_dim > 0 ? facts.value_head_dim : facts.head_dim;
  const int64_t kv_heads =
      facts.num_key_value_heads > 0 ? facts.num_key_value_heads : facts.num_heads;
  const int64_t width = facts.num_experts > 0
                            ? facts.moe_intermediate_size * facts.num_experts_per_token
                            : facts.intermediate_size;
  const int64_t tokens = TokensOnRank(plan), element = ComputeBytes(config);
  TensorBytes bytes;
  bytes.residual = BoundaryBytes(config, facts, plan);
  bytes.hidden = tokens * facts.hidden_size * element;
  const int64_t kept_dims = (facts.qk_norm ? 2 : 1) * facts.head_dim + value_dim;
  bytes.attention =
      tokens * ((facts.num_heads + kv_heads) * kept_dims * element + facts.num_heads * kFp32Bytes) /
      tensor;
  bytes.inner = tokens * width * element / tensor;
  return bytes;
}

// All that a layer keeps without recomputation.
int64_t WholeLayer(const TensorBytes& bytes) {
  return 2 * bytes.residual + 2 * bytes.hidden + bytes.attention + 3 * bytes.inner;
}

int64_t KeptByLayer(const TensorBytes& bytes, config::Recompute recompute) {
  switch (recompute) {
    case config::Recompute::kNone:
      return WholeLayer(bytes);
    case config::Recompute::kSelective:
      return WholeLayer(bytes) - 2 * bytes.hidden - bytes.inner;
    case config::Recompute::kFull:
      return bytes.residual;
  }
  return 0;
}

// Beside what the layer keeps, and the gradient of its output.
int64_t BackwardOfLayer(const TensorBytes& bytes, config::Recompute recompute) {
  switch (recompute) {
    case config::Recompute::kNone:
      return 2 * bytes.inner;
    case config::Recompute::kSelective:
      return 3 * bytes.inner;
    case config::Recompute::kFull:
      return WholeLayer(bytes) + 2 * bytes.inner;  // without the input, with an output
  }
  return 0;
}

// kernels/cross_entropy.cc, ChunkTokens.
int64_t ChunkTokens(int64_t num_tokens, int64_t vocabulary) {
  const int64_t fitting = (int64_t{1} << 24) / vocabulary / 64 * 64;
  return std::min(std::clamp<int64_t>(fitting, 128, 4096), num_tokens);
}

// The head's norm and loss, beside the gradient that is kept.
int64_t ForwardOfHead(const config::Config& config, const ModelFacts& facts, const TrainPlan& plan,
                      const TensorBytes& bytes) {
  const int64_t tensor = plan.mesh.Degree(Axis::kTensor);
  const int64_t vocabulary = std::max<int64_t>(facts.vocab_size / tensor, 1);
  const int64_t chunk = ChunkTokens(TokensOnRank(plan), vocabulary);
  const int64_t element = ComputeBytes(config);
  const int64_t logits = kFp32Bytes + (element == kFp32Bytes ? 0 : element);
  const int64_t entered = tensor > 1 && config.accelerator.sequence_parallel ? bytes.hidden : 0;
  return bytes.residual + entered + chunk * (vocabulary * logits + facts.hidden_size * kFp32Bytes);
}

// The largest of what layers need in turn, from the last to the first, each without what the layers
// behind it have let go of.
int64_t BackwardOfLayers(const config::Config& config, const TensorBytes& bytes,
                         const StagePlan& stage, int64_t let_go) {
  int64_t largest = 0;
  for (int64_t i = stage.layers.num_layers; i-- > 0;) {
    const auto recompute = RecomputeOf(config.activation, stage.layers.first_layer + i);
    largest = std::max(largest, BackwardOfLayer(bytes, recompute) - let_go);
    let_go += KeptByLayer(bytes, recompute);
  }
  return largest;
}

}  // namespace

config::Recompute RecomputeOf(const config::ActivationSection& activation, int64_t layer) {
  const auto& layers = activation.layers;
  const bool chosen = !layers || std::find(layers->begin(), layers->end(), layer) != layers->end();
  return chosen ? activation.recompute : config::Recompute::kNone;
}

int64_t TokensOnRank(const TrainPlan& plan) {
  return plan.batch.microbatch * plan.batch.sequence_length / plan.mesh.Degree(Axis::kContext);
}

int64_t BoundaryBytes(const config::Config& config, const ModelFacts& facts,
                      const TrainPlan& plan) {
  const int64_t ranks = config.accelerator.sequence_parallel ? plan.mesh.Degree(Axis::kTensor) : 1;
  return TokensOnRank(plan) * facts.hidden_size * ComputeBytes(config) / ranks;
}

PassMemory MemoryOfPass(const config::Config& config, const ModelFacts& facts,
                        const TrainPlan& plan, const StagePlan& stage) {
  const TensorBytes bytes = BytesOfTensors(config, facts, plan);
  PassMemory pass{.boundary = bytes.residual};
  const int64_t first = stage.layers.first_layer;
  for (int64_t layer = first; layer < first + stage.layers.num_layers; ++layer) {
    const auto recompute = RecomputeOf(config.activation, layer);
    pass.kept += KeptByLayer(bytes, recompute);
    if (recompute == config::Recompute::kFull) pass.forward = WholeLayer(bytes);
  }
  int64_t let_go = 0;  // before the backward pass of the last layer
  pass.kept += bytes.residual;
  if (stage.is_last) {
    pass.kept += bytes.hidden;
    pass.forward = std::max(pass.forward, ForwardOfHead(config, facts, plan, bytes));
    let_go = bytes.hidden;  // its gradient has become that of the residual stream
  }
  pass.backward = BackwardOfLayers(config, bytes, stage, let_go);
  return pass;
}

}  // namespace hyperpp::plan

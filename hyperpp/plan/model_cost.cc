#include "hyperpp/plan/model_cost.h"

#include <algorithm>
#include <cmath>

namespace hyperpp::plan {
namespace {

constexpr double kFlopsPerWeight = 6;  // of a matrix product, forward and backward

// The part of a parameter that one token uses.
double ActiveShare(const ParameterOutline& parameter, const ModelFacts& facts) {
  if (!IsExpert(parameter) || facts.num_experts == 0) return 1;
  return static_cast<double>(facts.num_experts_per_token) / static_cast<double>(facts.num_experts);
}

double MatrixFlops(const ParameterOutline& parameter, const ModelFacts& facts) {
  if (parameter.shape.size() < 2) return 0;
  return kFlopsPerWeight * static_cast<double>(parameter.NumElements()) *
         ActiveShare(parameter, facts);
}

double AttentionFlops(const ModelFacts& facts, int64_t layer, int64_t sequence_length) {
  const auto windows = static_cast<int64_t>(facts.layer_windows.size());
  const int64_t window = layer < windows ? facts.layer_windows[layer] : 0;
  const int64_t value_dim = facts.value_head_dim > 0 ? facts.value_head_dim : facts.head_dim;
  return kFlopsPerWeight * MeanAttendedKeys(sequence_length, window) *
         static_cast<double>(facts.num_heads * (facts.head_dim + value_dim));
}

}  // namespace

bool IsExpert(const ParameterOutline& parameter) {
  return parameter.fqn.find(".experts.") != std::string::npos;
}

double MeanAttendedKeys(int64_t sequence_length, int64_t window) {
  const auto length = static_cast<double>(sequence_length);
  const double span = window > 0 ? std::min(length, static_cast<double>(window)) : length;
  // Token i attends to min(i + 1, span) keys.
  return span - span * (span - 1) / (2 * length);
}

LayerCosts LayerCostsOf(const ModelOutline& outline, const ModelFacts& facts,
                        int64_t sequence_length) {
  LayerCosts costs;
  for (int64_t layer = 0; layer < outline.num_layers; ++layer) {
    costs.layers.push_back(AttentionFlops(facts, layer, sequence_length));
  }
  for (const ParameterOutline& parameter : outline.parameters) {
    const double flops = MatrixFlops(parameter, facts);
    if (parameter.layer >= 0 && parameter.layer < outline.num_layers) {
      costs.layers[parameter.layer] += flops;
    } else if (parameter.fqn == facts.embedding) {
      // One copy forward and one addition backward for each element of the token's row.
      costs.embedding = 2.0 * static_cast<double>(facts.hidden_size);
    } else {
      costs.head += flops;  // the head, and an MTP block
    }
  }
  for (const auto& [alias, owner] : outline.tied) {
    if (alias != facts.head) continue;
    costs.head += kFlopsPerWeight * static_cast<double>(facts.vocab_size * facts.hidden_size);
  }
  return costs;
}

ModelCost CostOf(const ModelOutline& outline, const ModelFacts& facts, int64_t sequence_length) {
  ModelCost cost;
  double active = 0;
  for (const ParameterOutline& parameter : outline.parameters) {
    cost.num_parameters += parameter.NumElements();
    active += static_cast<double>(parameter.NumElements()) * ActiveShare(parameter, facts);
  }
  cost.num_active_parameters = std::llround(active);
  const LayerCosts costs = LayerCostsOf(outline, facts, sequence_length);
  cost.flops_per_token = costs.head;
  for (double layer : costs.layers) cost.flops_per_token += layer;
  return cost;
}

}  // namespace hyperpp::plan

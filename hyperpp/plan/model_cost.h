// Parameters and floating-point operations of a model, from its outline: the same on every layout.
//
// Forward and backward together, a token costs 6 operations per weight of a matrix product, and 6 *
// heads * (query-key dim + value dim) per layer and attended key (scores, and their product with
// the values). Only attended keys count: about half the sequence with a causal mask, fewer with a
// sliding window. Of routed experts the chosen ones count; recomputation does not. The lookup of
// the embedding costs nothing, its use as a tied head does.
// Source: PaLM, arXiv:2204.02311, appendix B, with causal attention.
#pragma once

#include <cstdint>
#include <vector>

#include "hyperpp/core/outline.h"
#include "hyperpp/plan/model_facts.h"

namespace hyperpp::plan {

struct ModelCost {
  int64_t num_parameters = 0;
  int64_t num_active_parameters = 0;  // used for one token
  double flops_per_token = 0;         // forward and backward
};

/// True for a parameter of routed experts.
bool IsExpert(const ParameterOutline& parameter);

/// Mean number of keys a token attends to in a sequence, with a causal mask and a sliding window of
/// `window` tokens (0: none).
double MeanAttendedKeys(int64_t sequence_length, int64_t window);

ModelCost CostOf(const ModelOutline& outline, const ModelFacts& facts, int64_t sequence_length);

/// Operations per token of each decoder layer, and of the head.
struct LayerCosts {
  std::vector<double> layers;
  double embedding = 0;
  double head = 0;
};
LayerCosts LayerCostsOf(const ModelOutline& outline, const ModelFacts& facts,
                        int64_t sequence_length);

}  // namespace hyperpp::plan

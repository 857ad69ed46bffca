#include "hyperpp/models/spec/cost.h"

#include <algorithm>

#include "hyperpp/core/error.h"

namespace hyperpp::models {
namespace {

// Mean number of keys that the tokens of a causal sequence see: token i sees min(i, window).
double MeanVisibleKeys(int64_t sequence_length, int64_t window) {
  const auto length = static_cast<double>(sequence_length);
  if (window == 0 || window >= sequence_length) return (length + 1) / 2;
  const auto width = static_cast<double>(window);
  return (width * (width + 1) / 2 + (length - width) * width) / length;
}

}  // namespace

int64_t CountParameters(const ModelOutline& outline) {
  int64_t total = 0;
  for (const ParameterOutline& parameter : outline.parameters) total += parameter.NumElements();
  return total;
}

int64_t CountMatrixWeights(const DecoderSpec& spec) {
  int64_t total = spec.vocab_size * spec.hidden_size;  // the head
  for (const ParameterOutline& parameter : spec.Outline().parameters)
    if (parameter.layer >= 0 && parameter.shape.size() == 2) total += parameter.NumElements();
  return total;
}

double FlopsPerToken(const DecoderSpec& spec, int64_t sequence_length) {
  HYPERPP_CHECK(sequence_length > 0, "sequence length is {}", sequence_length);
  double flops = 6.0 * static_cast<double>(CountMatrixWeights(spec));
  const auto query_size = static_cast<double>(spec.num_heads * spec.head_dim);
  for (const int64_t window : spec.layer_windows)
    flops += 12 * query_size * MeanVisibleKeys(sequence_length, window);
  return flops;
}

}  // namespace hyperpp::models

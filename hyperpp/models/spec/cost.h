// What a model costs: parameters, and floating point operations per trained token.
//
// A token passes each weight of a matrix product once forward (2 operations a weight) and twice
// backward, so 6 N for the N weights of the linear layers and the head. The lookup of the embedding
// is no product and counts nothing; a tied head counts as the head. Attention adds, per layer, two
// products of num_heads * head_dim with each visible key, forward and twice backward:
//
//     flops = 6 N + sum over layers of 12 * num_heads * head_dim * keys
//
// where `keys` is the mean number of keys that a token of a causal sequence sees, (S + 1) / 2, or
// less with a sliding window. Operations that recompute does a second time are not counted.
//
// Source: PaLM, arXiv:2204.02311, appendix B, with the causal half counted once.
#pragma once

#include <cstdint>

#include "hyperpp/core/outline.h"
#include "hyperpp/models/spec/decoder_spec.h"

namespace hyperpp::models {

/// Number of parameters of the full model, tied ones once.
int64_t CountParameters(const ModelOutline& outline);

/// Number of weights that each token is multiplied with: N above.
int64_t CountMatrixWeights(const DecoderSpec& spec);

/// Floating point operations to train one token in sequences of `sequence_length`.
double FlopsPerToken(const DecoderSpec& spec, int64_t sequence_length);

}  // namespace hyperpp::models

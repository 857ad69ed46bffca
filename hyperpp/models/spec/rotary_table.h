// Frequencies of the rotary position embedding, one per pair of turned dims.
//
// Position p turns pair i of a head by the angle p * inv_freq[i]; cosine and sine are multiplied by
// `attention_scaling`. Without scaling inv_freq[i] = theta^(-2i / dim). The scaled kinds stretch
// this to longer contexts:
//
//     linear   all frequencies divided by `factor`
//     dynamic  theta grows with the sequence once it is longer than max_position_embeddings
//     yarn     high frequencies kept, low ones divided, a linear ramp between; attention scaled
//     llama3   the same with a ramp over wavelengths
//
// Values follow transformers, which computes in fp32: every operation here is rounded to fp32 in
// the same places, so that results differ by at most the last bit of a power.
//
// Source: transformers 5.24, modeling_rope_utils.py. YaRN: arXiv:2309.00071, section 3.
#pragma once

#include <cstdint>
#include <vector>

#include "hyperpp/models/spec/decoder_spec.h"

namespace hyperpp::models {

struct RotaryFrequencies {
  std::vector<double> inv_freq;  // fp32 values; turned dims / 2 of them
  double attention_scaling = 1;
};

/// Computes the frequencies for sequences of `sequence_length` tokens (only `dynamic` looks at it).
/// Unlike transformers, which keeps the frequencies of the longest sequence so far, `dynamic`
/// depends on the given length alone; generation gives the length so far.
RotaryFrequencies ComputeRotaryFrequencies(const RopeSpec& rope, int64_t head_dim,
                                           int64_t max_position_embeddings,
                                           int64_t sequence_length);

/// The same for a model.
RotaryFrequencies ComputeRotaryFrequencies(const DecoderSpec& spec, int64_t sequence_length);

}  // namespace hyperpp::models

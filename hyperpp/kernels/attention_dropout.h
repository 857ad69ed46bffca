// Which attention probabilities dropout keeps.
//
// The decision is a pure function of (key, sample, head, query, key position), all of them global,
// so every layout, every blocking and every rerun drops the same probabilities. With 64-bit and
// 32-bit arithmetic that wraps around:
//
//     Mix(z):  z += 0x9e3779b97f4a7c15
//              z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9
//              z = (z ^ z >> 27) * 0x94d049bb133111eb,  result z ^ z >> 31
//     row      = Mix(Mix(Mix(key ^ Mix(sample)) + head) + query)              one per query row
//     x        = low half of row + position * 0x9e3779b1                      32 bits from here
//     x        = (x ^ x >> 16) * 0x7feb352d
//     x        = ((x ^ x >> 15) + high half of row) * 0x846ca68b
//     x        = x ^ x >> 16
//     kept     if x >= round(probability * 2^32); a kept probability is scaled by 1 / (1 -
//     probability)
//
// Sources: Mix is SplitMix64 (Steele, Lea, Flood 2014); the second half is the 32-bit mixer
// lowbias32 (Wellons, hash-prospector) with a 64-bit key.
#pragma once

#include <cstdint>

#include "hyperpp/kernels/attention.h"

namespace hyperpp::kernels {

/// Returns the hash of one query row, `row` above.
uint64_t DropoutRow(uint64_t key, int64_t sample_id, int64_t head, int64_t query_position);

/// Returns the least hash that is kept.
uint32_t DropoutThreshold(double probability);

/// Returns whether the probability of (row, key_position) is kept.
bool DropoutKeepsPosition(uint64_t row, int32_t key_position, uint32_t threshold);

/// Returns whether the probability of one (sample, head, query, key) is kept; `head` counts over
/// all query heads of the model.
bool DropoutKeep(const AttentionDropout& dropout, int64_t sample_id, int64_t head,
                 int64_t query_position, int64_t key_position);

/// Returns the factors of all probabilities of a call, [B, N, S, L] fp32: 0 or 1 / (1 - p). Made in
/// ATen operations on the device of the dropout's tensors.
at::Tensor DropoutFactors(const AttentionDropout& dropout, int64_t num_heads);

}  // namespace hyperpp::kernels

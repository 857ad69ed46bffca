// The elementwise part of attention on one block of scores, built per instruction set.
//
// Scores are transposed, [key][query]: a vector holds one key and neighbouring queries, so that the
// running maximum, the sums and the mask are plain vectors, without sums across lanes. Exponentials
// are in base 2; `scale_log2` is the softmax scale times log2(e).
#pragma once

#include <cstdint>

#include "hyperpp/kernels/simd/builds.h"

namespace hyperpp::kernels {

/// Dropout of a block; see attention_dropout.h for the hash.
struct DropoutBlock {
  const uint32_t *row_low, *row_high;  // [kAttentionBlock], halves of each query's hash
  const int32_t* key_positions;        // [num_keys]
  int64_t num_keys;                    // positions behind it read as 0
  uint32_t threshold;
  float kept_factor;
};

/// What both directions need of a block. Rows of kAttentionBlock; num_keys and num_queries in use
/// are multiples of kTokenMultiple.
struct ScoreBlock {
  float* scores;  // q k^T, unscaled
  float scale_log2;
  int64_t num_keys, num_queries;
  const int32_t *begin, *end;   // [kAttentionBlock] keys of each query, counted in the block; or
                                // null: all
  const DropoutBlock* dropout;  // or null
};

/// One step of the online softmax: p = 2^(score * scale_log2 - max) with the new maximum.
struct SoftmaxStep {
  ScoreBlock block;
  float *max, *sum;     // [kAttentionBlock] running; in: -inf and 0 at first
  float* correction;    // [kAttentionBlock] out: factor for what was summed before
  void* probabilities;  // out: paired rows (B operand); fp32: may be the scores
};

/// p and the gradient of the scores (without the scale): ds = p * (dropout(dp) - delta).
struct SoftmaxGradient {
  ScoreBlock block;
  float* grad_probabilities;      // dp = v dO^T
  const float *lse_log2, *delta;  // [kAttentionBlock]; lse +inf makes p 0
  void* probabilities;            // out: dropout(p), rows (A operand); fp32: may be the scores
  void* grad_scores;              // out: rows (A operand); fp32: may be grad_probabilities
  void* grad_scores_paired;       // out: paired rows (B operand); not written for fp32
};

struct AttentionSoftmax {
  /// Returns whether any correction differs from 1.
  bool (*step)(const SoftmaxStep& step);
  void (*gradient)(const SoftmaxGradient& gradient);
  /// values[d][t] *= factors[t] over rows of kAttentionBlock.
  void (*scale_columns)(float* values, const float* factors, int64_t num_rows, int64_t num_queries);
};

HYPERPP_DECLARE_BUILDS(AttentionSoftmax, kAttentionSoftmaxFp32);
HYPERPP_DECLARE_BUILDS(AttentionSoftmax, kAttentionSoftmaxBf16);

}  // namespace hyperpp::kernels

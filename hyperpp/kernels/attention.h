// Attention without the score matrix in memory, forward and backward, with grouped key/value heads.
//
// Every mask here is an interval of keys per query row: causal is [0, i + 1), a sliding window
// [i + 1 - window, i + 1), a document mask [document start, i + 1), and the pieces of a
// context-parallel sequence are intervals too. An empty interval gives output 0 and log-sum-exp
// -inf.
//
//     S = q k^T * scale,  P = softmax over the interval,  out = dropout(P) v,  lse = log sum exp S
//
// B sequences, S query rows, L key rows, N query heads, M key/value heads (N a multiple of M), D
// head dim. Sources: FlashAttention-2, arXiv:2307.08691 (blocks, lse, backward from delta = sum(dO
// * O)).
#pragma once

#include <cstdint>

#include <ATen/core/Tensor.h>

namespace hyperpp::kernels {

/// Counter-based dropout of attention probabilities: the mask depends on the key, the sample and
/// the global (head, query, key) positions only, so it is the same in every layout and under
/// recompute.
struct AttentionDropout {
  double probability = 0;
  uint64_t key = 0;                               // mixed from seed, step and layer
  at::Tensor sample_ids_B;                        // int64: index in the global batch
  at::Tensor query_positions_S, key_positions_L;  // int32: global index in the sequence
  int64_t first_head = 0;                         // global index of query head 0
};

struct AttentionOptions {
  double scale = 1;
  at::Tensor key_begin_BS, key_end_BS;  // int32: keys [begin, end) of each query row
  const AttentionDropout* dropout = nullptr;
};

struct AttentionResult {
  at::Tensor out_BSND;  // contiguous, dtype of q
  at::Tensor lse_BNS;   // fp32
};

/// q_BSND, k_BLMD, v_BLMD: unit stride over D, other strides free (heads inside a fused product).
AttentionResult AttentionForward(const at::Tensor& q_BSND, const at::Tensor& k_BLMD,
                                 const at::Tensor& v_BLMD, const AttentionOptions& options);

struct AttentionGradients {
  at::Tensor q_BSND, k_BLMD, v_BLMD;  // contiguous
};

AttentionGradients AttentionBackward(const at::Tensor& grad_out_BSND, const at::Tensor& q_BSND,
                                     const at::Tensor& k_BLMD, const at::Tensor& v_BLMD,
                                     const AttentionResult& forward,
                                     const AttentionOptions& options);

}  // namespace hyperpp::kernels

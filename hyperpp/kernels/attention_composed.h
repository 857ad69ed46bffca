// Attention in ATen operations, for devices without own kernels. Tensors, options and results as in
// attention.h.
//
// Scores exist in fp32 for a block of query rows at a time: as many rows as keep them below 256
// MiB, all of them in a short sequence. Query heads that share keys are rows of one product. As in
// the own kernels, probabilities and their gradients are rounded to the dtype of q before the
// products that follow, and every product is summed in fp32.
#pragma once

#include "hyperpp/kernels/attention.h"

namespace hyperpp::kernels {

/// `max_scores`: scores that may exist at a time; 0: chosen here.
AttentionResult ComposedAttentionForward(const at::Tensor& q_BSND, const at::Tensor& k_BLMD,
                                         const at::Tensor& v_BLMD, const AttentionOptions& options,
                                         int64_t max_scores = 0);

AttentionGradients ComposedAttentionBackward(const at::Tensor& grad_out_BSND,
                                             const at::Tensor& q_BSND, const at::Tensor& k_BLMD,
                                             const at::Tensor& v_BLMD,
                                             const AttentionResult& forward,
                                             const AttentionOptions& options,
                                             int64_t max_scores = 0);

}  // namespace hyperpp::kernels

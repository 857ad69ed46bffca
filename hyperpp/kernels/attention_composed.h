// Attention in ATen operations with the whole score matrix in memory, for devices without own
// kernels. Tensors, options and results as in attention.h. Computes in fp32 and rounds once.
#pragma once

#include "hyperpp/kernels/attention.h"

namespace hyperpp::kernels {

AttentionResult ComposedAttentionForward(const at::Tensor& q_BSND, const at::Tensor& k_BLMD,
                                         const at::Tensor& v_BLMD, const AttentionOptions& options);

AttentionGradients ComposedAttentionBackward(const at::Tensor& grad_out_BSND,
                                             const at::Tensor& q_BSND, const at::Tensor& k_BLMD,
                                             const at::Tensor& v_BLMD,
                                             const AttentionResult& forward,
                                             const AttentionOptions& options);

}  // namespace hyperpp::kernels

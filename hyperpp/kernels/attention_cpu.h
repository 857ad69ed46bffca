// Blocked attention on CPU. Tensors, options and results as in attention.h, which checks them.
#pragma once

#include "hyperpp/kernels/attention.h"

namespace hyperpp::kernels {

/// Every query block is worked on alone, so results do not depend on the number of threads.
AttentionResult AttentionForwardCpu(const at::Tensor& q_BSND, const at::Tensor& k_BLMD,
                                    const at::Tensor& v_BLMD, const AttentionOptions& options);

/// A unit of work is a key/value head with the query heads of its group, so dK and dV are summed by
/// one thread in a fixed order. Where there are fewer such heads than threads, each one's key
/// blocks are dealt out to several units, whose parts of dQ are added in a fixed order: results
/// repeat bit by bit at a fixed number of threads.
AttentionGradients AttentionBackwardCpu(const at::Tensor& grad_out_BSND, const at::Tensor& q_BSND,
                                        const at::Tensor& k_BLMD, const at::Tensor& v_BLMD,
                                        const AttentionResult& forward,
                                        const AttentionOptions& options);

}  // namespace hyperpp::kernels

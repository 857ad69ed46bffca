// Attention over all keys from attention over parts of them.
//
// With lse_i the log-sum-exp of a query's scores over part i, and out_i its attended value:
//
//     lse = log(sum_i exp(lse_i))          out = sum_i exp(lse_i - lse) * out_i
//
// which is exact, in whatever order the parts come. A part without keys has lse_i = -inf and weighs
// nothing. Source: FlashAttention, arXiv:2205.14135, section 3.1; Ring Attention, arXiv:2310.01889.
#pragma once

#include "hyperpp/kernels/attention.h"

namespace hyperpp::parallel {

/// Attention over no keys: out 0, lse -inf, both fp32. `q_BSND` gives shape and device.
kernels::AttentionResult AttentionOverNothing(const at::Tensor& q_BSND);

/// Adds `part` to `merged`, in place. Shapes: equal; merged fp32, views allowed.
void MergeAttention(const kernels::AttentionResult& merged, const kernels::AttentionResult& part);

}  // namespace hyperpp::parallel

// Attention in double precision with the whole score matrix, differentiated by autograd; the
// yardstick of the attention tests.
#pragma once

#include <ATen/ATen.h>

#include "hyperpp/kernels/attention.h"

namespace hyperpp::kernels {

struct AttentionCase {
  int64_t batch = 1, queries = 1, keys = 1, heads = 1, kv_heads = 1, dim = 16;
  at::ScalarType dtype = at::kFloat;
};

struct AttentionInputs {
  at::Tensor q, k, v, grad_out;
};

/// Draws inputs; heads lie inside a wider tensor, as in a fused product.
AttentionInputs DrawInputs(const AttentionCase& shape, int64_t seed);

struct ReferenceAttention {
  at::Tensor out, lse;                // double
  at::Tensor grad_q, grad_k, grad_v;  // double
};

/// `factors` [B, N, S, L] multiply the probabilities; undefined: 1.
ReferenceAttention Reference(const AttentionInputs& inputs, const AttentionOptions& options,
                             const at::Tensor& factors = {});

/// Returns the largest difference, divided by the largest magnitude of `expected` or 1e-3.
double RelativeError(const at::Tensor& actual, const at::Tensor& expected);

}  // namespace hyperpp::kernels

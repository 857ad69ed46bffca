// Rotary position embedding of query and key heads, with the per-head RMS norm of Qwen3 fused in.
//
//     out[i]       = v[i] * cos[p, i] - v[i + R/2] * sin[p, i]        v = x, or norm(x) * weight
//     out[i + R/2] = v[i + R/2] * cos[p, i] + v[i] * sin[p, i]        i < R/2
//
// R rotated dims of D (the rest passes). Positions may restart inside a sequence: `positions_T`
// picks the row of the cos/sin tables for each token. Sources: arXiv:2104.09864; the half-split
// layout of transformers 5.24 (rotate_half).
#pragma once

#include <ATen/core/Tensor.h>

namespace hyperpp::kernels {

/// Inputs that forward and backward share. T tokens, N heads, D head dim, P table rows.
struct RotaryTables {
  at::Tensor cos_PR;       // [P, R/2] fp32
  at::Tensor sin_PR;       // [P, R/2] fp32
  at::Tensor positions_T;  // int32, each < P
};

struct HeadNorm {
  at::Tensor weight_D;  // undefined: no norm
  double eps = 0;
};

struct RotaryResult {
  at::Tensor out_TND;
  at::Tensor rstd_TN;  // fp32; undefined without a norm
};

/// x_TND: a [T, N, D] view with unit stride over D, e.g. a slice of a fused QKV product.
RotaryResult RotaryForward(const at::Tensor& x_TND, const RotaryTables& tables,
                           const HeadNorm& norm);

/// Returns the gradient of x [T, N, D], which may be undefined without a norm; adds the norm
/// weight's into `weight_accumulator_D` (fp32) if defined.
at::Tensor RotaryBackward(const at::Tensor& grad_out_TND, const at::Tensor& x_TND,
                          const at::Tensor& rstd_TN, const RotaryTables& tables,
                          const HeadNorm& norm, at::Tensor weight_accumulator_D);

}  // namespace hyperpp::kernels

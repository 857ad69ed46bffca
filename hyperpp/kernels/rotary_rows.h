// The inner loops of rotary.h on raw rows, built per instruction set.
#pragma once

#include <cstdint>

#include "hyperpp/kernels/simd/builds.h"

namespace hyperpp::kernels {

/// Tokens [first, last) of [T, N, D]. Inputs are strided (in elements) with unit stride over D,
/// outputs are contiguous.
struct RotaryForwardRows {
  const void* x;
  int64_t token_stride, head_stride;
  const float *cos, *sin;  // [P, R / 2]
  const int32_t* positions;
  const float* norm_weight;  // [D], or null: no norm
  void* out;
  float* rstd;  // [T, N], written with a norm
  int64_t first, last, num_heads, head_dim, rotated_dim;
  float eps;
};

struct RotaryBackwardRows {
  const void* grad_out;
  int64_t grad_token_stride, grad_head_stride;
  const void* x;  // read with a norm
  int64_t token_stride, head_stride;
  const float *cos, *sin;
  const int32_t* positions;
  const float* norm_weight;  // [D], or null: no norm
  const float* rstd;
  void* grad;
  float* grad_weight;  // [D], added to; or null
  float* scratch;      // [D]
  int64_t first, last, num_heads, head_dim, rotated_dim;
};

struct RotaryRows {
  void (*forward_fp32)(const RotaryForwardRows& rows);
  void (*forward_bf16)(const RotaryForwardRows& rows);
  void (*backward_fp32)(const RotaryBackwardRows& rows);
  void (*backward_bf16)(const RotaryBackwardRows& rows);
};

HYPERPP_DECLARE_BUILDS(RotaryRows, kRotaryRows);

}  // namespace hyperpp::kernels

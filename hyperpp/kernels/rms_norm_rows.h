// The inner loops of rms_norm.h on raw rows, built per instruction set. Pointers of the element
// type (fp32 or bf16) are void; which of the two is said by the function's name.
#pragma once

#include <cstdint>

#include "hyperpp/kernels/simd/builds.h"

namespace hyperpp::kernels {

/// Rows of `size` contiguous numbers.
struct RmsNormForwardRows {
  const void* x;
  const void* residual;  // or null; then sum is not written
  const float* weight;
  void *y, *sum;
  float* rstd;
  int64_t num_rows, size;
  float eps;
};

struct RmsNormBackwardRows {
  const void* grad_y;
  const void* grad_sum;  // or null
  const void* sum;
  const float *rstd, *weight;
  void* grad;
  float* grad_weight;  // [size], added to; or null
  int64_t num_rows, size;
};

struct RmsNormRows {
  void (*forward_fp32)(const RmsNormForwardRows& rows);
  void (*forward_bf16)(const RmsNormForwardRows& rows);
  void (*backward_fp32)(const RmsNormBackwardRows& rows);
  void (*backward_bf16)(const RmsNormBackwardRows& rows);
  void (*add_fp32)(float* to, const float* from, int64_t size);  // to += from
};

HYPERPP_DECLARE_BUILDS(RmsNormRows, kRmsNormRows);

}  // namespace hyperpp::kernels

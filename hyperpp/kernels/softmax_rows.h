// Log-sum-exp and softmax gradient of one row of fp32 logits, built per instruction set.
#pragma once

#include <cstdint>

#include "hyperpp/kernels/simd/builds.h"

namespace hyperpp::kernels {

struct SoftmaxRows {
  /// Returns the largest logit and leaves the sum of exp(logit - largest) in `sum`.
  float (*sum_exp)(const float* logits, int64_t size, double* sum);
  /// Writes weight * exp(logit - log_sum_exp); may be in place.
  void (*softmax_fp32)(const float* logits, int64_t size, float log_sum_exp, float weight,
                       float* out);
  void (*softmax_bf16)(const float* logits, int64_t size, float log_sum_exp, float weight,
                       uint16_t* out);
};

HYPERPP_DECLARE_BUILDS(SoftmaxRows, kSoftmaxRows);

}  // namespace hyperpp::kernels

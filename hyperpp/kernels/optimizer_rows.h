// The inner loops of optimizer_step.h, on raw memory, built per instruction set.
#pragma once

#include <cstdint>

#include "hyperpp/kernels/simd/builds.h"

namespace hyperpp::kernels {

/// AdamW's factors of one step, in fp32.
struct AdamWFactors {
  float gradient_scale;
  float decay;            // 1 - lr * weight_decay
  float one_minus_beta1;  // taken in double: fp32 would lose digits
  float beta2;
  float one_minus_beta2;
  float step_size;          // lr / (1 - beta1^step)
  float inverse_root_bias;  // 1 / sqrt(1 - beta2^step)
  float eps;
};

struct SgdFactors {
  float gradient_scale, weight_decay, momentum, lr;
  bool first_step;  // the momentum buffer is written, not read
};

/// A sum as what one double holds of it and the rest; see core/exact_sum.h.
struct TwoDoubles {
  double high, low;
};

/// `compute_copy` points to bf16 or is null.
struct OptimizerRows {
  void (*adamw)(float* weight, const float* gradient, float* exp_avg, float* exp_avg_sq,
                uint16_t* compute_copy, int64_t size, const AdamWFactors& factors);
  void (*sgd)(float* weight, const float* gradient, float* momentum_or_null, uint16_t* compute_copy,
              int64_t size, const SgdFactors& factors);
  TwoDoubles (*sum_of_squares_fp32)(const float* values, int64_t size);
  TwoDoubles (*sum_of_squares_bf16)(const uint16_t* values, int64_t size);
  void (*fp32_to_bf16)(const float* from, uint16_t* to, int64_t size);
  void (*bf16_to_fp32)(const uint16_t* from, float* to, int64_t size);
};

HYPERPP_DECLARE_BUILDS(OptimizerRows, kOptimizerRows);

}  // namespace hyperpp::kernels

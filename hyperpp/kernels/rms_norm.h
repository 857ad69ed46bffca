// Root-mean-square norm, alone or fused with the residual sum before it, forward and backward.
//
//     sum = x + residual        y = sum * rstd * weight,   rstd = 1 / sqrt(mean(sum^2) + eps)
//
// Statistics and products in fp32 whatever the dtype of x. T rows of H.
// Source: arXiv:1910.07467.
#pragma once

#include <tuple>

#include <ATen/core/Tensor.h>

namespace hyperpp::kernels {

struct RmsNormResult {
  at::Tensor y_TH;    // dtype of x
  at::Tensor sum_TH;  // x + residual, rounded to the dtype of x; x itself without a residual
  at::Tensor rstd_T;  // fp32
};

/// x_TH contiguous; residual_TH like x or undefined; weight_H in the dtype of x or fp32.
RmsNormResult RmsNormForward(const at::Tensor& x_TH, const at::Tensor& residual_TH,
                             const at::Tensor& weight_H, double eps);

/// Returns the gradient of `sum` (which is also that of x and of the residual): from grad_y through
/// the norm, plus grad_sum_TH (gradient that reaches the sum on the residual path) if defined. Adds
/// the weight's gradient into `weight_accumulator_H` (fp32) if defined.
at::Tensor RmsNormBackward(const at::Tensor& grad_y_TH, const at::Tensor& grad_sum_TH,
                           const at::Tensor& sum_TH, const at::Tensor& rstd_T,
                           const at::Tensor& weight_H, at::Tensor weight_accumulator_H);

}  // namespace hyperpp::kernels

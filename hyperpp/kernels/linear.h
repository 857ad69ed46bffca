// The three matrix products of a linear layer y = x W^T + b, for fp32 and bf16.
//
// T tokens, K in features, N out features. bf16 products are summed in fp32. The weight gradient is
// added straight into the fp32 accumulator: no bf16 gradient, no cast, and rounding only once per
// microbatch.
#pragma once

#include <ATen/core/Tensor.h>

namespace hyperpp::kernels {

/// Returns x W^T (+ bias). Shapes: x_TK, weight_NK, bias_N or undefined; result [T, N], dtype of x.
at::Tensor LinearForward(const at::Tensor& x_TK, const at::Tensor& weight_NK,
                         const at::Tensor& bias_N);

/// Returns grad_y W, the gradient of x. Shapes: grad_y_TN, weight_NK; result [T, K], dtype of
/// grad_y.
at::Tensor LinearInputGradient(const at::Tensor& grad_y_TN, const at::Tensor& weight_NK);

/// Adds grad_y^T x into `accumulator_NK` (fp32, contiguous, may be a view into a flat buffer).
void AccumulateLinearWeightGradient(const at::Tensor& grad_y_TN, const at::Tensor& x_TK,
                                    at::Tensor accumulator_NK);

/// Adds the column sums of grad_y into `accumulator_N` (fp32).
void AccumulateBiasGradient(const at::Tensor& grad_y_TN, at::Tensor accumulator_N);

}  // namespace hyperpp::kernels

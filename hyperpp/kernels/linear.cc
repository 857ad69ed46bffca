#include "hyperpp/kernels/linear.h"

#include <ATen/ops/linear.h>
#include <ATen/ops/sum.h>

#include "hyperpp/kernels/matrix_product.h"

namespace hyperpp::kernels {

at::Tensor LinearForward(const at::Tensor& x_TK, const at::Tensor& weight_NK,
                         const at::Tensor& bias_N) {
  return at::linear(x_TK, weight_NK, bias_N);
}

at::Tensor LinearInputGradient(const at::Tensor& grad_y_TN, const at::Tensor& weight_NK) {
  return Multiply(grad_y_TN, weight_NK);
}

void AccumulateLinearWeightGradient(const at::Tensor& grad_y_TN, const at::Tensor& x_TK,
                                    at::Tensor accumulator_NK) {
  MultiplyIntoFp32(accumulator_NK, grad_y_TN.t(), x_TK, true);
}

void AccumulateBiasGradient(const at::Tensor& grad_y_TN, at::Tensor accumulator_N) {
  accumulator_N.add_(at::sum(grad_y_TN, {0}, false, at::kFloat));
}

}  // namespace hyperpp::kernels

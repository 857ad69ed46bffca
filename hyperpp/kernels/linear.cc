#include "hyperpp/kernels/linear.h"

#include <ATen/ops/linear.h>
#include <ATen/ops/sum.h>

#include "hyperpp/core/error.h"
#include "hyperpp/kernels/matrix_product.h"
#include "hyperpp/kernels/parallel_for.h"
#include "hyperpp/kernels/row_sums.h"

namespace hyperpp::kernels {

at::Tensor LinearForward(const at::Tensor& x_TK, const at::Tensor& weight_NK,
                         const at::Tensor& bias_N) {
  if (bias_N.defined()) return at::linear(x_TK, weight_NK, bias_N);
  return Multiply(x_TK, weight_NK.t());
}

at::Tensor LinearInputGradient(const at::Tensor& grad_y_TN, const at::Tensor& weight_NK) {
  return Multiply(grad_y_TN, weight_NK);
}

void AccumulateLinearWeightGradient(const at::Tensor& grad_y_TN, const at::Tensor& x_TK,
                                    at::Tensor accumulator_NK) {
  MultiplyIntoFp32(accumulator_NK, grad_y_TN.t(), x_TK, true);
}

void AccumulateBiasGradient(const at::Tensor& grad_y_TN, at::Tensor accumulator_N) {
  HYPERPP_CHECK_EQ(grad_y_TN.size(1), accumulator_N.numel(), "size of the bias gradient");
  if (!grad_y_TN.is_cpu()) {
    accumulator_N.add_(at::sum(grad_y_TN, {0}, false, at::kFloat));
    return;
  }
  const at::Tensor grad = grad_y_TN.stride(1) == 1 ? grad_y_TN : grad_y_TN.contiguous();
  const RowSums& rows = HYPERPP_SELECT_BUILD(kRowSums);
  float* sums = accumulator_N.mutable_data_ptr<float>();
  ParallelFor(0, grad.size(1), 64, [&](int64_t first, int64_t last) {
    if (grad.scalar_type() == at::kFloat) {
      rows.add_columns_fp32(grad.const_data_ptr<float>() + first, grad.stride(0), grad.size(0),
                            sums + first, last - first);
    } else {
      const auto* data = reinterpret_cast<const uint16_t*>(grad.const_data_ptr<at::BFloat16>());
      rows.add_columns_bf16(data + first, grad.stride(0), grad.size(0), sums + first, last - first);
    }
  });
}

}  // namespace hyperpp::kernels

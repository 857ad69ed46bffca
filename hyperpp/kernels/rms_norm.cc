#include "hyperpp/kernels/rms_norm.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>

#include "hyperpp/core/error.h"
#include "hyperpp/kernels/parallel_for.h"
#include "hyperpp/kernels/rms_norm_composed.h"
#include "hyperpp/kernels/rms_norm_rows.h"
#include "hyperpp/kernels/weight_gradient_blocks.h"

namespace hyperpp::kernels {
namespace {

constexpr int64_t kGrainElements = 1 << 14;

bool IsBfloat16(const at::Tensor& x) {
  HYPERPP_CHECK(x.scalar_type() == at::kFloat || x.scalar_type() == at::kBFloat16,
                "rms norm takes fp32 or bf16, not {}", c10::toString(x.scalar_type()));
  return x.scalar_type() == at::kBFloat16;
}

void CheckLike(const at::Tensor& x, const at::Tensor& other, const char* name) {
  if (!other.defined()) return;
  HYPERPP_CHECK(
      other.sizes() == x.sizes() && other.scalar_type() == x.scalar_type() && other.is_contiguous(),
      "rms norm: {} must be contiguous and like x", name);
}

const void* DataOrNull(const at::Tensor& x) { return x.defined() ? x.const_data_ptr() : nullptr; }

}  // namespace

RmsNormResult RmsNormForward(const at::Tensor& x_TH, const at::Tensor& residual_TH,
                             const at::Tensor& weight_H, double eps) {
  const int64_t num_rows = x_TH.size(0), size = x_TH.size(1);
  CheckLike(x_TH, x_TH, "x");
  CheckLike(x_TH, residual_TH, "residual");
  HYPERPP_CHECK_EQ(weight_H.numel(), size, "size of the rms norm's weight");
  if (!x_TH.is_cpu()) return ComposedRmsNormForward(x_TH, residual_TH, weight_H, eps);

  const at::Tensor weight = weight_H.to(at::kFloat).contiguous();
  RmsNormResult result{at::empty_like(x_TH), residual_TH.defined() ? at::empty_like(x_TH) : x_TH,
                       at::empty({num_rows}, x_TH.options().dtype(at::kFloat))};
  const RmsNormRows& build = HYPERPP_SELECT_BUILD(kRmsNormRows);
  const auto forward = IsBfloat16(x_TH) ? build.forward_bf16 : build.forward_fp32;
  ParallelFor(0, num_rows, kGrainElements / size + 1, [&](int64_t first, int64_t last) {
    const int64_t offset = first * size * x_TH.element_size();
    const auto at_row = [&](const void* data) {
      return data == nullptr ? nullptr : static_cast<const char*>(data) + offset;
    };
    forward({at_row(x_TH.const_data_ptr()), at_row(DataOrNull(residual_TH)),
             weight.const_data_ptr<float>(),
             static_cast<char*>(result.y_TH.mutable_data_ptr()) + offset,
             residual_TH.defined() ? static_cast<char*>(result.sum_TH.mutable_data_ptr()) + offset
                                   : nullptr,
             result.rstd_T.mutable_data_ptr<float>() + first, last - first, size,
             static_cast<float>(eps)});
  });
  return result;
}

at::Tensor RmsNormBackward(const at::Tensor& grad_y_TH, const at::Tensor& grad_sum_TH,
                           const at::Tensor& sum_TH, const at::Tensor& rstd_T,
                           const at::Tensor& weight_H, at::Tensor weight_accumulator_H) {
  const int64_t num_rows = sum_TH.size(0), size = sum_TH.size(1);
  CheckLike(sum_TH, sum_TH, "sum");
  CheckLike(sum_TH, grad_y_TH, "grad_y");
  CheckLike(sum_TH, grad_sum_TH, "grad_sum");
  if (!sum_TH.is_cpu())
    return ComposedRmsNormBackward(grad_y_TH, grad_sum_TH, sum_TH, rstd_T, weight_H,
                                   weight_accumulator_H);

  const at::Tensor weight = weight_H.to(at::kFloat).contiguous();
  at::Tensor grad = at::empty_like(sum_TH);
  const RmsNormRows& build = HYPERPP_SELECT_BUILD(kRmsNormRows);
  const auto backward = IsBfloat16(sum_TH) ? build.backward_bf16 : build.backward_fp32;
  ForEachRowBlock(
      num_rows, weight_accumulator_H, [&](int64_t first, int64_t last, float* grad_weight) {
        const int64_t offset = first * size * sum_TH.element_size();
        const auto at_row = [&](const void* data) {
          return data == nullptr ? nullptr : static_cast<const char*>(data) + offset;
        };
        backward({at_row(grad_y_TH.const_data_ptr()), at_row(DataOrNull(grad_sum_TH)),
                  at_row(sum_TH.const_data_ptr()), rstd_T.const_data_ptr<float>() + first,
                  weight.const_data_ptr<float>(),
                  static_cast<char*>(grad.mutable_data_ptr()) + offset, grad_weight, last - first,
                  size});
      });
  return grad;
}

}  // namespace hyperpp::kernels

#include "hyperpp/kernels/optimizer_step.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <ATen/ops/stack.h>

#include "hyperpp/core/error.h"
#include "hyperpp/kernels/optimizer_rows.h"
#include "hyperpp/kernels/optimizer_step_composed.h"
#include "hyperpp/kernels/parallel_for.h"

namespace hyperpp::kernels {
namespace {

constexpr int64_t kBlock = 4096;  // elements of one partial sum; also the smallest piece of work

const OptimizerRows& Rows() { return HYPERPP_SELECT_BUILD(kOptimizerRows); }

void CheckFlat(const at::Tensor& tensor, int64_t size, at::ScalarType dtype, const char* name) {
  HYPERPP_CHECK_EQ(tensor.numel(), size, "size of {}", name);
  HYPERPP_CHECK(tensor.is_contiguous(), "{} has gaps", name);
  HYPERPP_CHECK(tensor.scalar_type() == dtype, "{} is {}", name,
                c10::toString(tensor.scalar_type()));
}

uint16_t* Bf16Data(const at::Tensor& tensor) {
  return tensor.defined() ? static_cast<uint16_t*>(tensor.mutable_data_ptr()) : nullptr;
}

// Calls body(first, size) for pieces of whole blocks.
void ForEachPiece(int64_t size, c10::function_ref<void(int64_t, int64_t)> body) {
  ParallelFor(0, (size + kBlock - 1) / kBlock, 4, [&](int64_t first, int64_t last) {
    body(first * kBlock, std::min(last * kBlock, size) - first * kBlock);
  });
}

}  // namespace

ExactSum SumOfSquares(const at::Tensor& x) {
  if (!x.is_cpu()) return {ComposedSumOfSquares(x).item<double>(), 0};
  const bool is_fp32 = x.scalar_type() == at::kFloat;
  CheckFlat(x, x.numel(), is_fp32 ? at::kFloat : at::kBFloat16, "tensor of the norm");
  std::vector<TwoDoubles> sums((x.numel() + kBlock - 1) / kBlock);
  ForEachPiece(x.numel(), [&](int64_t first, int64_t size) {
    for (int64_t i = first; i < first + size; i += kBlock) {
      const int64_t count = std::min(kBlock, first + size - i);
      sums[i / kBlock] = is_fp32 ? Rows().sum_of_squares_fp32(x.const_data_ptr<float>() + i, count)
                                 : Rows().sum_of_squares_bf16(
                                       static_cast<const uint16_t*>(x.const_data_ptr()) + i, count);
    }
  });
  ExactSum total;
  for (const TwoDoubles& sum : sums) total.Add(ExactSum(sum.high, sum.low));
  return total;
}

ExactSum SumOfSquares(const std::vector<at::Tensor>& tensors) {
  ExactSum total;
  std::vector<at::Tensor> on_device;
  for (const at::Tensor& tensor : tensors) {
    if (tensor.is_cpu())
      total.Add(SumOfSquares(tensor));
    else
      on_device.push_back(ComposedSumOfSquares(tensor));
  }
  if (!on_device.empty()) total.Add(at::stack(on_device).sum().item<double>());
  return total;
}

void AdamW(at::Tensor weight, const at::Tensor& gradient, at::Tensor exp_avg, at::Tensor exp_avg_sq,
           at::Tensor compute_copy, const AdamWStep& options) {
  const int64_t size = weight.numel();
  CheckFlat(weight, size, at::kFloat, "weight");
  CheckFlat(gradient, size, at::kFloat, "gradient");
  CheckFlat(exp_avg, size, at::kFloat, "exp_avg");
  CheckFlat(exp_avg_sq, size, at::kFloat, "exp_avg_sq");
  if (compute_copy.defined()) CheckFlat(compute_copy, size, at::kBFloat16, "compute copy");
  const auto step = static_cast<double>(options.step);
  const auto fp32 = [](double value) { return static_cast<float>(value); };
  const AdamWFactors factors{fp32(options.gradient_scale),
                             fp32(1 - options.lr * options.weight_decay),
                             fp32(1 - options.beta1),
                             fp32(options.beta2),
                             fp32(1 - options.beta2),
                             fp32(options.lr / (1 - std::pow(options.beta1, step))),
                             fp32(1 / std::sqrt(1 - std::pow(options.beta2, step))),
                             fp32(options.eps)};
  if (!weight.is_cpu()) {
    ComposedAdamW(weight, gradient, exp_avg, exp_avg_sq, options);
    if (compute_copy.defined()) compute_copy.copy_(weight);
    return;
  }
  ForEachPiece(size, [&](int64_t first, int64_t count) {
    uint16_t* copy = Bf16Data(compute_copy);
    Rows().adamw(weight.mutable_data_ptr<float>() + first, gradient.const_data_ptr<float>() + first,
                 exp_avg.mutable_data_ptr<float>() + first,
                 exp_avg_sq.mutable_data_ptr<float>() + first,
                 copy == nullptr ? nullptr : copy + first, count, factors);
  });
}

void Sgd(at::Tensor weight, const at::Tensor& gradient, at::Tensor momentum_buffer,
         at::Tensor compute_copy, const SgdStep& options) {
  const int64_t size = weight.numel();
  CheckFlat(weight, size, at::kFloat, "weight");
  CheckFlat(gradient, size, at::kFloat, "gradient");
  if (momentum_buffer.defined()) CheckFlat(momentum_buffer, size, at::kFloat, "momentum buffer");
  if (compute_copy.defined()) CheckFlat(compute_copy, size, at::kBFloat16, "compute copy");
  const SgdFactors factors{
      static_cast<float>(options.gradient_scale), static_cast<float>(options.weight_decay),
      static_cast<float>(options.momentum), static_cast<float>(options.lr), options.step == 1};
  if (!weight.is_cpu()) {
    ComposedSgd(weight, gradient, momentum_buffer, options);
    if (compute_copy.defined()) compute_copy.copy_(weight);
    return;
  }
  ForEachPiece(size, [&](int64_t first, int64_t count) {
    uint16_t* copy = Bf16Data(compute_copy);
    float* momentum =
        momentum_buffer.defined() ? momentum_buffer.mutable_data_ptr<float>() + first : nullptr;
    Rows().sgd(weight.mutable_data_ptr<float>() + first, gradient.const_data_ptr<float>() + first,
               momentum, copy == nullptr ? nullptr : copy + first, count, factors);
  });
}

void CastInto(at::Tensor out, const at::Tensor& in) {
  HYPERPP_CHECK_EQ(out.numel(), in.numel(), "sizes of a cast");
  const bool is_fp32_to_bf16 = in.scalar_type() == at::kFloat && out.scalar_type() == at::kBFloat16;
  if (!in.is_cpu() || !out.is_cpu() || !is_fp32_to_bf16 || !in.is_contiguous() ||
      !out.is_contiguous()) {
    out.copy_(in.view_as(out));
    return;
  }
  ForEachPiece(in.numel(), [&](int64_t first, int64_t count) {
    Rows().fp32_to_bf16(in.const_data_ptr<float>() + first, Bf16Data(out) + first, count);
  });
}

}  // namespace hyperpp::kernels

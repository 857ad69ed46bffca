#include "hyperpp/kernels/rotary.h"

#include <vector>

#include <ATen/ops/empty.h>

#include "hyperpp/core/error.h"
#include "hyperpp/kernels/parallel_for.h"
#include "hyperpp/kernels/rotary_composed.h"
#include "hyperpp/kernels/rotary_rows.h"
#include "hyperpp/kernels/weight_gradient_blocks.h"

namespace hyperpp::kernels {
namespace {

constexpr int64_t kGrainElements = 1 << 13;

void Check(const at::Tensor& x, const RotaryTables& tables, const HeadNorm& norm) {
  HYPERPP_CHECK(x.dim() == 3 && x.stride(2) == 1, "rotary takes [T, N, D] with unit stride over D");
  HYPERPP_CHECK(x.scalar_type() == at::kFloat || x.scalar_type() == at::kBFloat16,
                "rotary takes fp32 or bf16, not {}", c10::toString(x.scalar_type()));
  HYPERPP_CHECK(tables.cos_PR.is_contiguous() && tables.sin_PR.is_contiguous() &&
                    tables.cos_PR.sizes() == tables.sin_PR.sizes() &&
                    tables.cos_PR.scalar_type() == at::kFloat &&
                    tables.sin_PR.scalar_type() == at::kFloat,
                "rotary tables must be contiguous fp32 of one shape");
  HYPERPP_CHECK_LE(2 * tables.cos_PR.size(1), x.size(2), "rotated dims against the head dim");
  HYPERPP_CHECK_EQ(tables.positions_T.numel(), x.size(0), "rotary positions against tokens");
  HYPERPP_CHECK(tables.positions_T.scalar_type() == at::kInt && tables.positions_T.is_contiguous(),
                "rotary positions must be contiguous int32");
  if (norm.weight_D.defined())
    HYPERPP_CHECK_EQ(norm.weight_D.numel(), x.size(2), "size of the head norm's weight");
}

}  // namespace

RotaryResult RotaryForward(const at::Tensor& x_TND, const RotaryTables& tables,
                           const HeadNorm& norm) {
  Check(x_TND, tables, norm);
  if (!x_TND.is_cpu()) return ComposedRotaryForward(x_TND, tables, norm);
  const int64_t num_tokens = x_TND.size(0), num_heads = x_TND.size(1), head_dim = x_TND.size(2);
  const bool with_norm = norm.weight_D.defined();
  RotaryResult result{at::empty(x_TND.sizes(), x_TND.options()), {}};
  at::Tensor weight;
  if (with_norm) {
    weight = norm.weight_D.to(at::kFloat).contiguous();
    result.rstd_TN = at::empty({num_tokens, num_heads}, x_TND.options().dtype(at::kFloat));
  }
  const RotaryRows& build = HYPERPP_SELECT_BUILD(kRotaryRows);
  const auto forward =
      x_TND.scalar_type() == at::kBFloat16 ? build.forward_bf16 : build.forward_fp32;
  ParallelFor(
      0, num_tokens, kGrainElements / (num_heads * head_dim) + 1, [&](int64_t first, int64_t last) {
        forward({x_TND.const_data_ptr(), x_TND.stride(0), x_TND.stride(1),
                 tables.cos_PR.const_data_ptr<float>(), tables.sin_PR.const_data_ptr<float>(),
                 tables.positions_T.const_data_ptr<int32_t>(),
                 with_norm ? weight.const_data_ptr<float>() : nullptr,
                 result.out_TND.mutable_data_ptr(),
                 with_norm ? result.rstd_TN.mutable_data_ptr<float>() : nullptr, first, last,
                 num_heads, head_dim, 2 * tables.cos_PR.size(1), static_cast<float>(norm.eps)});
      });
  return result;
}

at::Tensor RotaryBackward(const at::Tensor& grad_out_TND, const at::Tensor& x_TND,
                          const at::Tensor& rstd_TN, const RotaryTables& tables,
                          const HeadNorm& norm, at::Tensor weight_accumulator_D) {
  const bool with_norm = norm.weight_D.defined();
  Check(grad_out_TND, tables, norm);
  if (with_norm) Check(x_TND, tables, norm);
  if (!grad_out_TND.is_cpu())
    return ComposedRotaryBackward(grad_out_TND, x_TND, rstd_TN, tables, norm, weight_accumulator_D);
  const int64_t head_dim = grad_out_TND.size(2);
  at::Tensor grad = at::empty(grad_out_TND.sizes(), grad_out_TND.options());
  const at::Tensor weight = with_norm ? norm.weight_D.to(at::kFloat).contiguous() : at::Tensor();
  const RotaryRows& build = HYPERPP_SELECT_BUILD(kRotaryRows);
  const auto backward =
      grad_out_TND.scalar_type() == at::kBFloat16 ? build.backward_bf16 : build.backward_fp32;
  ForEachRowBlock(
      grad_out_TND.size(0), with_norm ? weight_accumulator_D : at::Tensor(),
      [&](int64_t first, int64_t last, float* grad_weight) {
        std::vector<float> scratch(head_dim);
        backward({grad_out_TND.const_data_ptr(), grad_out_TND.stride(0), grad_out_TND.stride(1),
                  with_norm ? x_TND.const_data_ptr() : nullptr, with_norm ? x_TND.stride(0) : 0,
                  with_norm ? x_TND.stride(1) : 0, tables.cos_PR.const_data_ptr<float>(),
                  tables.sin_PR.const_data_ptr<float>(),
                  tables.positions_T.const_data_ptr<int32_t>(),
                  with_norm ? weight.const_data_ptr<float>() : nullptr,
                  with_norm ? rstd_TN.const_data_ptr<float>() : nullptr, grad.mutable_data_ptr(),
                  grad_weight, scratch.data(), first, last, grad_out_TND.size(1), head_dim,
                  2 * tables.cos_PR.size(1)});
      });
  return grad;
}

}  // namespace hyperpp::kernels

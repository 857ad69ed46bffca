#include "hyperpp/kernels/rotary_composed.h"

#include <ATen/ops/cat.h>

namespace hyperpp::kernels {
namespace {

// `direction` 1 rotates, -1 rotates back.
at::Tensor Rotate(const at::Tensor& v, const RotaryTables& tables, double direction) {
  const int64_t half = tables.cos_PR.size(1), rest = v.size(2) - 2 * half;
  const at::Tensor cos = tables.cos_PR.index_select(0, tables.positions_T).unsqueeze(1);
  const at::Tensor sin = tables.sin_PR.index_select(0, tables.positions_T).unsqueeze(1) * direction;
  const at::Tensor a = v.narrow(2, 0, half), b = v.narrow(2, half, half);
  return at::cat({a * cos - b * sin, b * cos + a * sin, v.narrow(2, 2 * half, rest)}, 2);
}

}  // namespace

RotaryResult ComposedRotaryForward(const at::Tensor& x_TND, const RotaryTables& tables,
                                   const HeadNorm& norm) {
  at::Tensor v = x_TND.to(at::kFloat), rstd_TN;
  if (norm.weight_D.defined()) {
    rstd_TN = v.square().mean(-1).add(norm.eps).rsqrt();
    v = v * rstd_TN.unsqueeze(-1) * norm.weight_D.to(at::kFloat);
  }
  return {Rotate(v, tables, 1).to(x_TND.scalar_type()), rstd_TN};
}

at::Tensor ComposedRotaryBackward(const at::Tensor& grad_out_TND, const at::Tensor& x_TND,
                                  const at::Tensor& rstd_TN, const RotaryTables& tables,
                                  const HeadNorm& norm, at::Tensor weight_accumulator_D) {
  at::Tensor grad = Rotate(grad_out_TND.to(at::kFloat), tables, -1);
  if (norm.weight_D.defined()) {
    const at::Tensor normed = x_TND.to(at::kFloat) * rstd_TN.unsqueeze(-1);
    if (weight_accumulator_D.defined())  // up to libtorch 2.12 a bare {0, 1} could be Dimnames too
      weight_accumulator_D.add_((grad * normed).sum(at::IntArrayRef{0, 1}));
    const at::Tensor g = grad * norm.weight_D.to(at::kFloat);
    grad = rstd_TN.unsqueeze(-1) * (g - normed * (g * normed).mean(-1, true));
  }
  return grad.to(grad_out_TND.scalar_type());
}

}  // namespace hyperpp::kernels

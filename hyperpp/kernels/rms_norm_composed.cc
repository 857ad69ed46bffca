#include "hyperpp/kernels/rms_norm_composed.h"

namespace hyperpp::kernels {

RmsNormResult ComposedRmsNormForward(const at::Tensor& x_TH, const at::Tensor& residual_TH,
                                     const at::Tensor& weight_H, double eps) {
  const at::Tensor sum_TH = residual_TH.defined() ? x_TH + residual_TH : x_TH;
  const at::Tensor wide = sum_TH.to(at::kFloat);
  const at::Tensor rstd_T = wide.square().mean(-1).add(eps).rsqrt();
  return {(wide * rstd_T.unsqueeze(-1) * weight_H.to(at::kFloat)).to(x_TH.scalar_type()), sum_TH,
          rstd_T};
}

at::Tensor ComposedRmsNormBackward(const at::Tensor& grad_y_TH, const at::Tensor& grad_sum_TH,
                                   const at::Tensor& sum_TH, const at::Tensor& rstd_T,
                                   const at::Tensor& weight_H, at::Tensor weight_accumulator_H) {
  const at::Tensor wide = grad_y_TH.to(at::kFloat), scale = rstd_T.unsqueeze(-1);
  const at::Tensor normed = sum_TH.to(at::kFloat) * scale;
  if (weight_accumulator_H.defined()) weight_accumulator_H.add_((wide * normed).sum(0));
  const at::Tensor g = wide * weight_H.to(at::kFloat);
  at::Tensor grad = scale * (g - normed * (g * normed).mean(-1, true));
  if (grad_sum_TH.defined()) grad = grad + grad_sum_TH.to(at::kFloat);
  return grad.to(grad_y_TH.scalar_type());
}

}  // namespace hyperpp::kernels

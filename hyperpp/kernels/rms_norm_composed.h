// The RMS norm in ATen operations, for devices without own kernels. Tensors and results as in
// rms_norm.h.
#pragma once

#include "hyperpp/kernels/rms_norm.h"

namespace hyperpp::kernels {

RmsNormResult ComposedRmsNormForward(const at::Tensor& x_TH, const at::Tensor& residual_TH,
                                     const at::Tensor& weight_H, double eps);

at::Tensor ComposedRmsNormBackward(const at::Tensor& grad_y_TH, const at::Tensor& grad_sum_TH,
                                   const at::Tensor& sum_TH, const at::Tensor& rstd_T,
                                   const at::Tensor& weight_H, at::Tensor weight_accumulator_H);

}  // namespace hyperpp::kernels

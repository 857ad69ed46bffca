// Rotary position embedding in ATen operations, for devices without own kernels. Tensors and
// results as in rotary.h.
#pragma once

#include "hyperpp/kernels/rotary.h"

namespace hyperpp::kernels {

RotaryResult ComposedRotaryForward(const at::Tensor& x_TND, const RotaryTables& tables,
                                   const HeadNorm& norm);

at::Tensor ComposedRotaryBackward(const at::Tensor& grad_out_TND, const at::Tensor& x_TND,
                                  const at::Tensor& rstd_TN, const RotaryTables& tables,
                                  const HeadNorm& norm, at::Tensor weight_accumulator_D);

}  // namespace hyperpp::kernels

// The optimizer passes in ATen operations, for devices without own kernels. Tensors as in
// optimizer_step.h, but of any shape.
#pragma once

#include "hyperpp/kernels/optimizer_step.h"

namespace hyperpp::kernels {

/// Returns the sum of squares as a tensor [] on the device of `x`, in double.
at::Tensor ComposedSumOfSquares(const at::Tensor& x);

void ComposedAdamW(at::Tensor weight, const at::Tensor& gradient, at::Tensor exp_avg,
                   at::Tensor exp_avg_sq, const AdamWStep& options);

void ComposedSgd(at::Tensor weight, const at::Tensor& gradient, at::Tensor momentum_buffer,
                 const SgdStep& options);

}  // namespace hyperpp::kernels

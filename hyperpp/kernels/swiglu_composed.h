// SwiGLU in ATen operations, for devices without own kernels. Tensors and results as in swiglu.h.
#pragma once

#include "hyperpp/kernels/swiglu.h"

namespace hyperpp::kernels {

at::Tensor ComposedSwigluForward(const at::Tensor& gate_TI, const at::Tensor& up_TI);

std::pair<at::Tensor, at::Tensor> ComposedSwigluBackward(const at::Tensor& grad_TI,
                                                         const at::Tensor& gate_TI,
                                                         const at::Tensor& up_TI);

}  // namespace hyperpp::kernels

// silu(gate) * up, forward and backward, in one pass over memory. Source: arXiv:2002.05202.
#pragma once

#include <utility>

#include <ATen/core/Tensor.h>

namespace hyperpp::kernels {

/// Shapes: gate_TI, up_TI (unit stride over I; rows may be strided, so both may be halves of one
/// product); result [T, I] contiguous.
at::Tensor SwigluForward(const at::Tensor& gate_TI, const at::Tensor& up_TI);

/// Returns (gradient of gate, gradient of up), each contiguous [T, I].
std::pair<at::Tensor, at::Tensor> SwigluBackward(const at::Tensor& grad_TI,
                                                 const at::Tensor& gate_TI,
                                                 const at::Tensor& up_TI);

}  // namespace hyperpp::kernels

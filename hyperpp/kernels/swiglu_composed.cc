#include "hyperpp/kernels/swiglu_composed.h"

#include <ATen/ops/sigmoid.h>

namespace hyperpp::kernels {

at::Tensor ComposedSwigluForward(const at::Tensor& gate_TI, const at::Tensor& up_TI) {
  const at::Tensor gate = gate_TI.to(at::kFloat);
  return (gate * at::sigmoid(gate) * up_TI.to(at::kFloat)).to(gate_TI.scalar_type());
}

std::pair<at::Tensor, at::Tensor> ComposedSwigluBackward(const at::Tensor& grad_TI,
                                                         const at::Tensor& gate_TI,
                                                         const at::Tensor& up_TI) {
  const at::ScalarType dtype = gate_TI.scalar_type();
  const at::Tensor grad = grad_TI.to(at::kFloat), gate = gate_TI.to(at::kFloat);
  const at::Tensor s = at::sigmoid(gate);
  return {(grad * up_TI.to(at::kFloat) * s * (1 + gate * (1 - s))).to(dtype),
          (grad * gate * s).to(dtype)};
}

}  // namespace hyperpp::kernels

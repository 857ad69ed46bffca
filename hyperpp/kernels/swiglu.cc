#include "hyperpp/kernels/swiglu.h"

#include <ATen/ops/empty.h>

#include "hyperpp/core/error.h"
#include "hyperpp/kernels/parallel_for.h"
#include "hyperpp/kernels/swiglu_composed.h"
#include "hyperpp/kernels/swiglu_rows.h"

namespace hyperpp::kernels {
namespace {

constexpr int64_t kGrainElements = 1 << 13;

void Check(const at::Tensor& x, const at::Tensor& gate) {
  HYPERPP_CHECK(x.dim() == 2 && x.sizes() == gate.sizes() && x.stride(1) == 1 &&
                    x.scalar_type() == gate.scalar_type(),
                "swiglu takes [T, I] of one dtype with unit stride over I");
  HYPERPP_CHECK(x.scalar_type() == at::kFloat || x.scalar_type() == at::kBFloat16,
                "swiglu takes fp32 or bf16, not {}", c10::toString(x.scalar_type()));
}

const char* Row(const at::Tensor& x, int64_t row) {
  return static_cast<const char*>(x.const_data_ptr()) + row * x.stride(0) * x.element_size();
}

char* MutableRow(const at::Tensor& x, int64_t row) {
  return static_cast<char*>(x.mutable_data_ptr()) + row * x.stride(0) * x.element_size();
}

}  // namespace

at::Tensor SwigluForward(const at::Tensor& gate_TI, const at::Tensor& up_TI) {
  Check(gate_TI, gate_TI);
  Check(up_TI, gate_TI);
  if (!gate_TI.is_cpu()) return ComposedSwigluForward(gate_TI, up_TI);
  const int64_t size = gate_TI.size(1);
  at::Tensor out = at::empty(gate_TI.sizes(), gate_TI.options());
  const SwigluRows& build = HYPERPP_SELECT_BUILD(kSwigluRows);
  const auto forward =
      gate_TI.scalar_type() == at::kBFloat16 ? build.forward_bf16 : build.forward_fp32;
  ParallelFor(0, gate_TI.size(0), kGrainElements / size + 1, [&](int64_t first, int64_t last) {
    for (int64_t row = first; row < last; ++row)
      forward(Row(gate_TI, row), Row(up_TI, row), MutableRow(out, row), size);
  });
  return out;
}

std::pair<at::Tensor, at::Tensor> SwigluBackward(const at::Tensor& grad_TI,
                                                 const at::Tensor& gate_TI,
                                                 const at::Tensor& up_TI) {
  Check(gate_TI, gate_TI);
  Check(up_TI, gate_TI);
  Check(grad_TI, gate_TI);
  if (!gate_TI.is_cpu()) return ComposedSwigluBackward(grad_TI, gate_TI, up_TI);
  const int64_t size = gate_TI.size(1);
  at::Tensor grad_gate = at::empty(gate_TI.sizes(), gate_TI.options());
  at::Tensor grad_up = at::empty(gate_TI.sizes(), gate_TI.options());
  const SwigluRows& build = HYPERPP_SELECT_BUILD(kSwigluRows);
  const auto backward =
      gate_TI.scalar_type() == at::kBFloat16 ? build.backward_bf16 : build.backward_fp32;
  ParallelFor(0, gate_TI.size(0), kGrainElements / size + 1, [&](int64_t first, int64_t last) {
    for (int64_t row = first; row < last; ++row)
      backward(Row(grad_TI, row), Row(gate_TI, row), Row(up_TI, row), MutableRow(grad_gate, row),
               MutableRow(grad_up, row), size);
  });
  return {grad_gate, grad_up};
}

}  // namespace hyperpp::kernels

#include "hyperpp/kernels/swiglu_rows.h"

#include "hyperpp/kernels/simd/fast_math.h"
#include "hyperpp/kernels/simd/vector.h"

namespace hyperpp::kernels::HYPERPP_BUILD {
namespace {

template <typename T>
void Forward(const void* gate_data, const void* up_data, void* out_data, int64_t size) {
  const T* gate = static_cast<const T*>(gate_data);
  const T* up = static_cast<const T*>(up_data);
  T* out = static_cast<T*>(out_data);
  ForEachVector(size, [&](int64_t i, auto span) {
    const Floats g = span.Load(gate + i);
    span.Store(out + i, g * Sigmoid<T>(g).value * span.Load(up + i));
  });
}

// silu'(g) = s * (1 + g * (1 - s)),  s = 1 / (1 + exp(-g)).
template <typename T>
void Backward(const void* grad_data, const void* gate_data, const void* up_data,
              void* grad_gate_data, void* grad_up_data, int64_t size) {
  const T* grad = static_cast<const T*>(grad_data);
  const T* gate = static_cast<const T*>(gate_data);
  const T* up = static_cast<const T*>(up_data);
  T* grad_gate = static_cast<T*>(grad_gate_data);
  T* grad_up = static_cast<T*>(grad_up_data);
  ForEachVector(size, [&](int64_t i, auto span) {
    const Floats g = span.Load(gate + i), dy = span.Load(grad + i);
    const SigmoidParts s = Sigmoid<T>(g);
    span.Store(grad_gate + i, dy * span.Load(up + i) * (s.value * (1.0f + g * s.complement)));
    span.Store(grad_up + i, dy * (g * s.value));
  });
}

}  // namespace

const SwigluRows kSwigluRows{&Forward<float>, &Forward<Bfloat16>, &Backward<float>,
                             &Backward<Bfloat16>};

}  // namespace hyperpp::kernels::HYPERPP_BUILD

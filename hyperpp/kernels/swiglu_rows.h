// The inner loops of swiglu.h on raw rows, built per instruction set.
#pragma once

#include <cstdint>

#include "hyperpp/kernels/simd/builds.h"

namespace hyperpp::kernels {

/// One row of `size` numbers of the element type that the function's name says.
struct SwigluRows {
  void (*forward_fp32)(const void* gate, const void* up, void* out, int64_t size);
  void (*forward_bf16)(const void* gate, const void* up, void* out, int64_t size);
  void (*backward_fp32)(const void* grad, const void* gate, const void* up, void* grad_gate,
                        void* grad_up, int64_t size);
  void (*backward_bf16)(const void* grad, const void* gate, const void* up, void* grad_gate,
                        void* grad_up, int64_t size);
};

HYPERPP_DECLARE_BUILDS(SwigluRows, kSwigluRows);

}  // namespace hyperpp::kernels

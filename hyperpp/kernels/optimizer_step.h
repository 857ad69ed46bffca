// One pass over flat fp32 buffers for the optimizers and the gradient norm.
//
// All kernels take flat contiguous fp32 tensors of equal size (a whole parameter, a shard or a
// bucket), and write the bf16 compute copy in the same pass where one is given, so that weights are
// cast once per step. AdamW follows torch.optim.AdamW (arXiv:1711.05101): decay first, then the
// bias-corrected update.
#pragma once

#include <cstdint>
#include <vector>

#include <ATen/core/Tensor.h>

#include "hyperpp/core/exact_sum.h"

namespace hyperpp::kernels {

/// Returns the sum of squares of `x` (fp32 or bf16), whose rounding to a double does not depend on
/// how a tensor is cut into several (core/exact_sum.h). On GPUs it is summed in double.
ExactSum SumOfSquares(const at::Tensor& x);

/// Returns the sum over all of `tensors`. Waits once for a GPU.
ExactSum SumOfSquares(const std::vector<at::Tensor>& tensors);

struct AdamWStep {
  double lr, beta1, beta2, eps, weight_decay;
  int64_t step;           // from 1
  double gradient_scale;  // multiplies the gradient first (clipping)
};

/// Updates weight, exp_avg and exp_avg_sq in place; writes `compute_copy` (bf16) if defined.
void AdamW(at::Tensor weight, const at::Tensor& gradient, at::Tensor exp_avg, at::Tensor exp_avg_sq,
           at::Tensor compute_copy, const AdamWStep& options);

struct SgdStep {
  double lr, momentum, weight_decay;
  int64_t step;
  double gradient_scale;
};

/// As torch.optim.SGD (dampening 0, not Nesterov); `momentum_buffer` is undefined if momentum is 0.
void Sgd(at::Tensor weight, const at::Tensor& gradient, at::Tensor momentum_buffer,
         at::Tensor compute_copy, const SgdStep& options);

/// Copies fp32 into bf16 (or fp32), in parallel. Same number of elements.
void CastInto(at::Tensor out, const at::Tensor& in);

}  // namespace hyperpp::kernels

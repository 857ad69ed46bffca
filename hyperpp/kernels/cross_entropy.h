// Cross entropy fused with the output head: logits exist only for a chunk of tokens at a time, and
// the gradient is taken in the same pass, because the weight of each token's loss is known
// beforehand.
//
//     loss_t = weight_t * (lse(x_t W^T) - (x_t W^T)[label_t])       labels < 0 count nowhere
//
// T tokens, H hidden, V vocabulary. Idea: Liger kernel (arXiv:2410.10989), section 3.2.
#pragma once

#include <ATen/core/Tensor.h>

namespace hyperpp::kernels {

struct HeadLossOptions {
  bool with_gradient = true;
  int64_t chunk_tokens = 0;  // 0: chosen by the kernel
};

struct HeadLossResult {
  double loss_sum = 0;  // sum over labelled tokens of the unweighted losses, summed in double
  at::Tensor
      grad_x_TH;  // gradient of sum_t token_weight * loss_t, dtype of x; undefined without gradient
};

/// x_TH, weight_VH (compute dtype, contiguous), labels_T int64. `token_weight` multiplies every
/// token's loss in the gradient (not in loss_sum). Adds the head weight's gradient into
/// `weight_accumulator_VH` (fp32) if defined.
HeadLossResult HeadCrossEntropy(const at::Tensor& x_TH, const at::Tensor& weight_VH,
                                const at::Tensor& labels_T, double token_weight,
                                at::Tensor weight_accumulator_VH, const HeadLossOptions& options);

}  // namespace hyperpp::kernels

// Cross entropy fused with the output head: logits exist only for a chunk of tokens at a time, and
// the gradient is taken in the same pass, because the weight of each token's loss is known
// beforehand.
//
//     loss_t = weight_t * (lse(x_t W^T) - (x_t W^T)[label_t])       labels < 0 count nowhere
//
// Where the vocabulary is split over ranks, each one has its part of the logits. Ranks exchange two
// numbers a token, log-sum-exp of the part and the label's logit if it is theirs, and go on with
// the whole row's: the loss is the same on all, the gradient of x is this part's share of it.
//
// T tokens, H hidden, V vocabulary. Sources: Liger kernel, arXiv:2410.10989, section 3.2; for the
// split, Megatron-LM, arXiv:1909.08053, section 3.
#pragma once

#include <functional>

#include <ATen/core/Tensor.h>

#include "hyperpp/kernels/vocabulary_part.h"

namespace hyperpp::kernels {

struct HeadLossOptions {
  bool with_gradient = true;
  int64_t chunk_tokens = 0;  // 0: chosen by the kernel
  VocabularyPart part = {};  // which rows `weight_VH` holds
  /// Stacks what the ranks of a split vocabulary hand in, in their order: [n, 2] double, where x is
  /// -> [ranks, n, 2]. All ranks call it for the same chunks. Empty if all rows are at hand.
  std::function<at::Tensor(const at::Tensor&)> gather_parts = {};
};

struct HeadLossResult {
  // Sum over labelled tokens of the unweighted losses, [] in double on the device of x: reading it
  // is what waits for a GPU.
  at::Tensor loss_sum;
  at::Tensor
      grad_x_TH;  // gradient of sum_t token_weight * loss_t, dtype of x; undefined without gradient
};

/// x_TH, weight_VH (compute dtype, contiguous), labels_T int64, which is looked at on the host:
/// keep it there beside a GPU, or every call waits for the device. `token_weight` multiplies every
/// token's loss in the gradient (not in loss_sum). Adds the head weight's gradient into
/// `weight_accumulator_VH` (fp32) if defined.
HeadLossResult HeadCrossEntropy(const at::Tensor& x_TH, const at::Tensor& weight_VH,
                                const at::Tensor& labels_T, double token_weight,
                                at::Tensor weight_accumulator_VH, const HeadLossOptions& options);

}  // namespace hyperpp::kernels

// Losses and gradients of one chunk of logits in ATen operations, for devices without own kernels.
#pragma once

#include <ATen/core/Tensor.h>

#include "hyperpp/kernels/cross_entropy.h"

namespace hyperpp::kernels {

/// Returns the sum of the losses as a tensor [] on the device of the logits, in double. Writes the
/// gradient of the logits, each token's multiplied by `token_weight`, into `grad_CV` if defined.
/// Shapes: logits_CV fp32, overwritten; labels_C int64 on the same device, inside the vocabulary;
/// grad_CV fp32 (may be the memory of the logits) or bf16. Of `options` the part of the vocabulary
/// counts.
at::Tensor ComposedLossSum(at::Tensor logits_CV, const at::Tensor& labels_C, double token_weight,
                           const at::Tensor& grad_CV, const HeadLossOptions& options = {});

/// Log-sum-exp and label logit of whole rows from those of all ranks' parts. Shapes:
/// [ranks, C, 2] -> [C, 2].
at::Tensor MergeParts(const at::Tensor& parts_RC2);

}  // namespace hyperpp::kernels

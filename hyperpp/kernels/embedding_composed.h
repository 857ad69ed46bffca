// Embedding rows and their gradient in ATen operations, for devices without own kernels. Tensors as
// in embedding.h; ids must lie inside the table, which a device does not say kindly.
#pragma once

#include "hyperpp/kernels/embedding.h"

namespace hyperpp::kernels {

at::Tensor ComposedEmbeddingForward(const at::Tensor& ids_T, const at::Tensor& weight_VH,
                                    at::ScalarType dtype, const VocabularyPart& part = {});

/// The order of additions on a GPU is fixed only under libtorch's deterministic algorithms.
void ComposedAccumulateEmbeddingGradient(const at::Tensor& ids_T, const at::Tensor& grad_TH,
                                         at::Tensor accumulator_VH,
                                         const VocabularyPart& part = {});

}  // namespace hyperpp::kernels

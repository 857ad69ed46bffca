#include "hyperpp/models/layer/embedding.h"

#include "hyperpp/kernels/embedding.h"
#include "hyperpp/models/layer/graph_node.h"

namespace hyperpp::models {

Embedding::Embedding(int64_t vocab_size, int64_t hidden_size, std::optional<int64_t> padding_token)
    : weight_(RegisterWeight("weight", {vocab_size, hidden_size}, WeightUse::kMatrix)),
      padding_token_(padding_token) {}

at::Tensor Embedding::forward(const at::Tensor& ids_T) {
  const kernels::VocabularyPart part = VocabularyPartOf(*weight_);
  at::Tensor rows =
      kernels::EmbeddingForward(ids_T, weight_->compute(), weight_->compute().scalar_type(), part);
  rows =
      AppendNode("Embedding", {weight_->parameter()}, {std::move(rows)},
                 [ids_T, part, weight = weight_, padding = padding_token_](const auto& gradients) {
                   at::Tensor grad = gradients[0].contiguous();
                   if (padding) grad = grad.masked_fill((ids_T == *padding).unsqueeze(1), 0);
                   kernels::AccumulateEmbeddingGradient(ids_T, grad, weight->gradient(), part);
                   weight->GradientAdded();
                   return std::vector<at::Tensor>{at::Tensor()};
                 })[0];
  return region_ ? region_->Leave(rows) : rows;
}

kernels::VocabularyPart VocabularyPartOf(const Weight& weight) {
  return {weight.local_offsets().front(), weight.full_shape().front()};
}

}  // namespace hyperpp::models

// Token embedding: row ids[t] of the table for every token. A padding token's row gets no gradient
// from looking it up, as torch.nn.Embedding's padding_idx.
#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "hyperpp/kernels/vocabulary_part.h"
#include "hyperpp/models/layer/layer.h"
#include "hyperpp/models/layer/tensor_region.h"

namespace hyperpp::models {

class Embedding : public Layer {
 public:
  Embedding(int64_t vocab_size, int64_t hidden_size, std::optional<int64_t> padding_token);

  /// What splits the rows over ranks; null: nothing.
  void set_tensor_region(std::shared_ptr<TensorRegion> region) { region_ = std::move(region); }

  /// Shapes: ids_T int64; result [T, H] in the compute dtype; with a region, of the rows that it
  /// says.
  at::Tensor forward(const at::Tensor& ids_T);

  Weight& weight() { return *weight_; }

 private:
  Weight* weight_;
  std::optional<int64_t> padding_token_;
  std::shared_ptr<TensorRegion> region_;
};

/// Which token ids have their row in the local box of an embedding or head weight.
kernels::VocabularyPart VocabularyPartOf(const Weight& weight);

}  // namespace hyperpp::models

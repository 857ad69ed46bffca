// Token embedding: row ids[t] of the table for every token. A padding token's row gets no gradient
// from looking it up, as torch.nn.Embedding's padding_idx.
#pragma once

#include <optional>

#include "hyperpp/models/layer/layer.h"

namespace hyperpp::models {

class Embedding : public Layer {
 public:
  Embedding(int64_t vocab_size, int64_t hidden_size, std::optional<int64_t> padding_token);

  /// Shapes: ids_T int64; result [T, H] in the compute dtype.
  at::Tensor forward(const at::Tensor& ids_T);

  Weight& weight() { return *weight_; }

 private:
  Weight* weight_;
  std::optional<int64_t> padding_token_;
};

}  // namespace hyperpp::models

// y = x W^T + b as a layer.
#pragma once

#include "hyperpp/models/layer/activation.h"
#include "hyperpp/models/layer/layer.h"

namespace hyperpp::models {

class Linear : public Layer {
 public:
  Linear(int64_t in_features, int64_t out_features, bool bias);

  /// Shapes: x [T, in] in the compute dtype; result [T, out].
  at::Tensor forward(const Activation& x_TK);

  const Weight& weight() const { return *weight_; }

 private:
  Weight* weight_;
  Weight* bias_ = nullptr;
};

}  // namespace hyperpp::models

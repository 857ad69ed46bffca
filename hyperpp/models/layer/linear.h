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
  /// Of the ranks whose products are terms of one sum, one adds the bias; all train it.
  void set_adds_bias(bool adds_bias) { adds_bias_ = adds_bias; }

 private:
  Weight* weight_;
  Weight* bias_ = nullptr;
  bool adds_bias_ = true;
};

}  // namespace hyperpp::models

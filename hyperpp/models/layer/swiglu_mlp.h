// The gated feed-forward block: down(silu(gate(x)) * up(x)). Source: arXiv:2002.05202.
#pragma once

#include "hyperpp/models/layer/linear.h"

namespace hyperpp::models {

class SwigluMlp : public Layer {
 public:
  SwigluMlp(int64_t hidden_size, int64_t intermediate_size, bool bias);

  /// Shapes: x_TH [T, H]; result [T, H].
  at::Tensor forward(const at::Tensor& x_TH);

 private:
  std::shared_ptr<Linear> gate_proj_, up_proj_, down_proj_;
};

}  // namespace hyperpp::models

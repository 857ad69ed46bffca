// The gated feed-forward block: down(silu(gate(x)) * up(x)). Source: arXiv:2002.05202.
#pragma once

#include "hyperpp/models/layer/linear.h"

namespace hyperpp::models {

class SwigluMlp : public Layer {
 public:
  SwigluMlp(int64_t hidden_size, int64_t intermediate_size, bool bias);

  /// Number of linear layers that read the input.
  static constexpr int kNumReaders = 2;

  /// Shapes: x_TH [T, H]; result [T, H].
  /// `remake_product`: the backward makes the gated product again instead of keeping it.
  at::Tensor forward(const Activation& x_TH, bool remake_product = false);

 private:
  std::shared_ptr<Linear> gate_proj_, up_proj_, down_proj_;
};

}  // namespace hyperpp::models

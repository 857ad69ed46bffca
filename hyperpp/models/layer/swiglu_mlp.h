// The gated feed-forward block: down(silu(gate(x)) * up(x)). Source: arXiv:2002.05202.
#pragma once

#include "hyperpp/models/layer/linear.h"
#include "hyperpp/models/layer/tensor_region.h"

namespace hyperpp::models {

class SwigluMlp : public Layer {
 public:
  SwigluMlp(int64_t hidden_size, int64_t intermediate_size, bool bias);

  /// What splits the matrices over ranks; null: nothing.
  void set_tensor_region(std::shared_ptr<TensorRegion> region);

  /// How many times a value that the backward makes again is taken from the input.
  int NumTakes() const { return region_ ? 1 : kNumReaders; }

  /// Shapes: input [T, H]; result [T, H]; with a region, of the rows that it says.
  /// `remake_product`: the backward makes the gated product again instead of keeping it.
  at::Tensor forward(const Activation& input, bool remake_product = false);

 private:
  static constexpr int kNumReaders = 2;

  std::shared_ptr<TensorRegion> region_;
  std::shared_ptr<Linear> gate_proj_, up_proj_, down_proj_;
};

}  // namespace hyperpp::models

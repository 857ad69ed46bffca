// The memory of a model's weights: three flat buffers, and the weights as views into them.
//
//     parameters  fp32   | embed | q | k | ... | norm |      each weight starts on a 64-byte
//     boundary gradients   fp32   | embed | q | k | ... | norm | compute     bf16   | embed | q | k
//     | ... |             matrices only; absent in fp32 training
//
// Weights lie in the order of the model, so that a run of consecutive weights is one contiguous
// piece of the gradient buffer: what gradient reduction sends without copying.
#pragma once

#include <vector>

#include <ATen/core/Tensor.h>

#include "hyperpp/models/layer/weight.h"

namespace hyperpp::models {

class ParameterStore {
 public:
  /// Materialises `weights` on `device`. `with_gradients`: false for evaluation and generation.
  ParameterStore(std::vector<Weight*> weights, at::Device device, at::ScalarType compute_dtype,
                 bool with_gradients);

  const std::vector<Weight*>& weights() const { return weights_; }
  std::vector<Weight*> TrainableWeights() const;
  at::ScalarType compute_dtype() const { return compute_dtype_; }

  /// Sets all gradients to zero.
  void ZeroGradients();
  /// Makes the compute copies from the parameters; the optimizer keeps them up to date afterwards.
  void CastParameters();
  /// The gradients of weights `first` .. `last` - 1 of weights() as one flat tensor, gaps included.
  at::Tensor GradientRange(std::size_t first, std::size_t last) const;

 private:
  std::vector<Weight*> weights_;
  std::vector<int64_t> offsets_;  // of each weight in the flat buffers, and the end; elements
  at::ScalarType compute_dtype_;
  at::Tensor parameters_, gradients_, compute_;
};

}  // namespace hyperpp::models

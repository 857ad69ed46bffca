// Base of the layers whose weights are Weights: registers them under their names and lists them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <torch/nn/module.h>

#include "hyperpp/models/layer/weight.h"

namespace hyperpp::models {

class Layer : public torch::nn::Module {
 public:
  using torch::nn::Module::Module;

  /// Weights that this layer owns, in order of registration; not those of its children.
  const std::vector<std::unique_ptr<Weight>>& own_weights() const { return own_weights_; }

 protected:
  /// Makes a weight and registers its parameter as `name`.
  Weight* RegisterWeight(const std::string& name, std::vector<int64_t> shape, WeightUse use);

 private:
  std::vector<std::unique_ptr<Weight>> own_weights_;
};

/// All weights below `module`, in order of registration.
std::vector<Weight*> WeightsBelow(torch::nn::Module& module);

/// The same for the whole model, whose names become the weights' FQNs.
std::vector<Weight*> CollectWeights(torch::nn::Module& model);

}  // namespace hyperpp::models

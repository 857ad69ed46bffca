#include "hyperpp/models/layer/layer.h"

#include <utility>

#include "hyperpp/core/error.h"

namespace hyperpp::models {

Weight* Layer::RegisterWeight(const std::string& name, std::vector<int64_t> shape, WeightUse use) {
  own_weights_.push_back(std::make_unique<Weight>(std::move(shape), use));
  register_parameter(name, own_weights_.back()->parameter());
  return own_weights_.back().get();
}

std::vector<Weight*> CollectWeights(torch::nn::Module& module) {
  std::vector<Weight*> weights;
  const auto collect = [&](const std::string& prefix, torch::nn::Module& part) {
    const auto* layer = dynamic_cast<const Layer*>(&part);
    if (layer == nullptr) return;
    const auto names = part.named_parameters(/*recurse=*/false);
    HYPERPP_CHECK_EQ(names.size(), layer->own_weights().size(), "parameters of {}", prefix);
    for (std::size_t i = 0; i < names.size(); ++i) {
      Weight* weight = layer->own_weights()[i].get();
      weight->set_fqn(prefix.empty() ? names[i].key() : prefix + "." + names[i].key());
      weights.push_back(weight);
    }
  };
  module.apply([&](const std::string& name, torch::nn::Module& part) { collect(name, part); },
               std::string());
  return weights;
}

}  // namespace hyperpp::models

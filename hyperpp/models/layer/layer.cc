#include "hyperpp/models/layer/layer.h"

#include <utility>

#include "hyperpp/core/error.h"

namespace hyperpp::models {

Weight* Layer::RegisterWeight(const std::string& name, std::vector<int64_t> shape, WeightUse use) {
  own_weights_.push_back(std::make_unique<Weight>(std::move(shape), use));
  register_parameter(name, own_weights_.back()->parameter());
  return own_weights_.back().get();
}

std::vector<Weight*> WeightsBelow(torch::nn::Module& module) {
  std::vector<Weight*> weights;
  module.apply([&](torch::nn::Module& part) {
    const auto* layer = dynamic_cast<const Layer*>(&part);
    if (layer == nullptr) return;
    for (const auto& weight : layer->own_weights()) weights.push_back(weight.get());
  });
  return weights;
}

std::vector<Weight*> CollectWeights(torch::nn::Module& model) {
  model.apply(
      [](const std::string& prefix, torch::nn::Module& part) {
        const auto* layer = dynamic_cast<const Layer*>(&part);
        if (layer == nullptr) return;
        const auto names = part.named_parameters(/*recurse=*/false);
        HYPERPP_CHECK_EQ(names.size(), layer->own_weights().size(), "parameters of {}", prefix);
        for (std::size_t i = 0; i < names.size(); ++i) {
          const std::string& name = names[i].key();
          layer->own_weights()[i]->set_fqn(prefix.empty() ? name : prefix + "." + name);
        }
      },
      std::string());
  return WeightsBelow(model);
}

}  // namespace hyperpp::models

#include "hyperpp/optim/optimizer.h"

#include <utility>

#include <ATen/ops/zeros_like.h>

#include "hyperpp/kernels/optimizer_step.h"

namespace hyperpp::optim {
namespace {

at::Tensor Flat(const at::Tensor& tensor) { return tensor.detach().view({-1}); }

// The bf16 copy that the update keeps current, or undefined where kernels read the parameter
// itself.
at::Tensor ComputeCopy(const models::Weight& weight) {
  return weight.owned_compute().defined() ? Flat(weight.owned_compute()) : at::Tensor();
}

std::vector<StateTensor> MakeState(const std::vector<models::Weight*>& weights,
                                   const std::vector<std::string>& kinds) {
  std::vector<StateTensor> state;
  for (const models::Weight* weight : weights) {
    for (const std::string& kind : kinds)
      state.push_back({weight, kind, at::zeros_like(weight->parameter().detach())});
  }
  return state;
}

// Shared by both: the weights, their state, and which of them decay.
class OptimizerBase : public Optimizer {
 public:
  OptimizerBase(const config::OptimizerSection& section, std::vector<models::Weight*> weights)
      : section_(section),
        weights_(std::move(weights)),
        state_(MakeState(weights_, StateKinds(section))) {}

  const std::vector<StateTensor>& state() const override { return state_; }

 protected:
  double WeightDecay(const models::Weight& weight) const {
    return weight.full_shape().size() >= 2 ? section_.weight_decay : 0.0;
  }

  const config::OptimizerSection section_;
  const std::vector<models::Weight*> weights_;
  std::vector<StateTensor> state_;
};

class AdamW : public OptimizerBase {
 public:
  using OptimizerBase::OptimizerBase;

  void Step(int64_t step, double learning_rate, double gradient_scale) override {
    for (std::size_t i = 0; i < weights_.size(); ++i) {
      const models::Weight& weight = *weights_[i];
      const kernels::AdamWStep options{.lr = learning_rate,
                                       .beta1 = section_.betas[0],
                                       .beta2 = section_.betas[1],
                                       .eps = section_.eps,
                                       .weight_decay = WeightDecay(weight),
                                       .step = step,
                                       .gradient_scale = gradient_scale};
      kernels::AdamW(Flat(weight.parameter()), Flat(weight.owned_gradient()),
                     Flat(state_[2 * i].value), Flat(state_[2 * i + 1].value), ComputeCopy(weight),
                     options);
    }
  }
};

class Sgd : public OptimizerBase {
 public:
  using OptimizerBase::OptimizerBase;

  void Step(int64_t step, double learning_rate, double gradient_scale) override {
    for (std::size_t i = 0; i < weights_.size(); ++i) {
      const models::Weight& weight = *weights_[i];
      const kernels::SgdStep options{.lr = learning_rate,
                                     .momentum = section_.momentum,
                                     .weight_decay = WeightDecay(weight),
                                     .step = step,
                                     .gradient_scale = gradient_scale};
      kernels::Sgd(Flat(weight.parameter()), Flat(weight.owned_gradient()),
                   state_.empty() ? at::Tensor() : Flat(state_[i].value), ComputeCopy(weight),
                   options);
    }
  }
};

}  // namespace

std::vector<std::string> StateKinds(const config::OptimizerSection& section) {
  if (section.type == config::OptimizerType::kAdamW) return {"exp_avg", "exp_avg_sq"};
  if (section.momentum != 0) return {"momentum_buffer"};
  return {};
}

std::unique_ptr<Optimizer> MakeOptimizer(const config::OptimizerSection& section,
                                         std::vector<models::Weight*> weights) {
  if (section.type == config::OptimizerType::kAdamW)
    return std::make_unique<AdamW>(section, std::move(weights));
  return std::make_unique<Sgd>(section, std::move(weights));
}

}  // namespace hyperpp::optim

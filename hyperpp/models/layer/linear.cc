#include "hyperpp/models/layer/linear.h"

#include "hyperpp/kernels/linear.h"
#include "hyperpp/models/layer/graph_node.h"

namespace hyperpp::models {

Linear::Linear(int64_t in_features, int64_t out_features, bool bias)
    : weight_(RegisterWeight("weight", {out_features, in_features}, WeightUse::kMatrix)) {
  if (bias) bias_ = RegisterWeight("bias", {out_features}, WeightUse::kMatrix);
}

at::Tensor Linear::forward(const Activation& x_TK) {
  at::Tensor y = kernels::LinearForward(x_TK.value.detach(), weight_->compute(),
                                        bias_ && adds_bias_ ? bias_->compute() : at::Tensor());
  const at::Tensor bias = bias_ ? bias_->parameter() : at::Tensor();
  const bool needs_input_gradient = x_TK.value.requires_grad();
  std::function<at::Tensor()> kept_x;
  if (weight_->trainable()) kept_x = x_TK.Keep();
  return AppendNode("Linear", {x_TK.value, weight_->parameter(), bias}, {std::move(y)},
                    [kept_x, needs_input_gradient, deferred = x_TK.deferred, weight = weight_,
                     bias = bias_](const auto& gradients) {
                      const at::Tensor grad_y = gradients[0].contiguous();
                      const auto add_to_weights = [=] {
                        if (weight->trainable()) {
                          kernels::AccumulateLinearWeightGradient(grad_y, kept_x(),
                                                                  weight->gradient());
                          weight->GradientAdded();
                        }
                        if (bias && bias->trainable()) {
                          kernels::AccumulateBiasGradient(grad_y, bias->gradient());
                          bias->GradientAdded();
                        }
                      };
                      at::Tensor grad_x;
                      if (needs_input_gradient)
                        grad_x = kernels::LinearInputGradient(grad_y, weight->compute());
                      if (deferred && needs_input_gradient)
                        deferred->Add(add_to_weights);
                      else
                        add_to_weights();
                      return std::vector<at::Tensor>{grad_x, at::Tensor(), at::Tensor()};
                    })[0];
}

}  // namespace hyperpp::models

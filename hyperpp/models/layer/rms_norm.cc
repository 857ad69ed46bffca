#include "hyperpp/models/layer/rms_norm.h"

#include "hyperpp/kernels/rms_norm.h"
#include "hyperpp/models/layer/graph_node.h"

namespace hyperpp::models {

RmsNorm::RmsNorm(int64_t size, double eps)
    : weight_(RegisterWeight("weight", {size}, WeightUse::kGain)), eps_(eps) {}

RmsNorm::Result RmsNorm::forward(const at::Tensor& x_TH, const at::Tensor& residual_TH,
                                 int num_remakes) {
  const at::Tensor residual = residual_TH.defined() ? residual_TH.detach() : at::Tensor();
  kernels::RmsNormResult result =
      kernels::RmsNormForward(x_TH.detach(), residual, weight_->compute(), eps_);
  const bool has_residual = residual.defined();
  auto outputs = AppendNode(
      "RmsNorm", {x_TH, residual_TH, weight_->parameter()}, {result.y_TH, result.sum_TH.detach()},
      [weight = weight_, sum = result.sum_TH, rstd = result.rstd_T,
       has_residual](const auto& gradients) {
        // Without a use of the norm itself, only the residual path carries a gradient.
        if (!gradients[0].defined())
          return std::vector<at::Tensor>{
              gradients[1], has_residual ? gradients[1] : at::Tensor(), {}};
        const at::Tensor grad_y = gradients[0].contiguous();
        const at::Tensor grad_sum =
            gradients[1].defined() ? gradients[1].contiguous() : at::Tensor();
        const at::Tensor grad_x = kernels::RmsNormBackward(grad_y, grad_sum, sum, rstd,
                                                           weight->compute(), weight->gradient());
        if (weight->trainable()) weight->GradientAdded();
        return std::vector<at::Tensor>{grad_x, has_residual ? grad_x : at::Tensor(), at::Tensor()};
      });
  std::shared_ptr<Remake> remake;
  if (num_remakes > 0) {
    remake = std::make_shared<Remake>(
        [sum = result.sum_TH.detach(), weight = weight_, eps = eps_] {
          return kernels::RmsNormForward(sum, {}, weight->compute(), eps).y_TH;
        },
        num_remakes);
  }
  return {Activation(outputs[0], std::move(remake)), outputs[1]};
}

}  // namespace hyperpp::models

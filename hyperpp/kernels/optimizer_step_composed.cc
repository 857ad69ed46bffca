#include "hyperpp/kernels/optimizer_step_composed.h"

#include <cmath>

#include <ATen/ops/sqrt.h>

namespace hyperpp::kernels {

at::Tensor ComposedSumOfSquares(const at::Tensor& x) { return x.to(at::kDouble).square().sum(); }

void ComposedAdamW(at::Tensor weight, const at::Tensor& gradient, at::Tensor exp_avg,
                   at::Tensor exp_avg_sq, const AdamWStep& options) {
  const auto step = static_cast<double>(options.step);
  const double step_size = options.lr / (1 - std::pow(options.beta1, step));
  const double root_bias = std::sqrt(1 - std::pow(options.beta2, step));
  const at::Tensor scaled = gradient * options.gradient_scale;
  exp_avg.lerp_(scaled, 1 - options.beta1);
  exp_avg_sq.mul_(options.beta2).addcmul_(scaled, scaled, 1 - options.beta2);
  const at::Tensor denominator = at::sqrt(exp_avg_sq).div_(root_bias).add_(options.eps);
  weight.mul_(1 - options.lr * options.weight_decay).addcdiv_(exp_avg, denominator, -step_size);
}

void ComposedSgd(at::Tensor weight, const at::Tensor& gradient, at::Tensor momentum_buffer,
                 const SgdStep& options) {
  at::Tensor change = (gradient * options.gradient_scale).add_(weight, options.weight_decay);
  if (momentum_buffer.defined()) {
    options.step == 1 ? momentum_buffer.copy_(change)
                      : momentum_buffer.mul_(options.momentum).add_(change);
    change = momentum_buffer;
  }
  weight.sub_(change, options.lr);
}

}  // namespace hyperpp::kernels

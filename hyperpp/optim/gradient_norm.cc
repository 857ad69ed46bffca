#include "hyperpp/optim/gradient_norm.h"

#include <algorithm>

#include "hyperpp/kernels/optimizer_step.h"

namespace hyperpp::optim {

ExactSum GradientSumOfSquares(const std::vector<models::Weight*>& weights) {
  std::vector<at::Tensor> gradients;
  for (const models::Weight* weight : weights) gradients.push_back(weight->owned_gradient());
  return kernels::SumOfSquares(gradients);
}

double ClipFactor(double norm, double max_norm) {
  return max_norm > 0 ? std::min(1.0, max_norm / (norm + 1e-6)) : 1.0;
}

}  // namespace hyperpp::optim

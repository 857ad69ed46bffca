#include <ATen/ATen.h>

#include "hyperpp/kernels/cross_entropy.h"

#include "benchmarks/kernels/compare.h"

namespace hyperpp::kernels {
namespace {

// What autograd does for cross_entropy(linear(x, weight).float(), labels), without chunks.
void AtenHead(const at::Tensor& x_TH, const at::Tensor& weight_VH, const at::Tensor& labels_T,
              at::Tensor accumulator_VH) {
  const at::Tensor log_p_TV = at::log_softmax(at::linear(x_TH, weight_VH).to(at::kFloat), 1);
  const auto [loss, total] = at::nll_loss_forward(log_p_TV, labels_T, {}, at::Reduction::Sum, -100);
  const at::Tensor grad_TV =
      at::nll_loss_backward(at::ones({}), log_p_TV, labels_T, {}, at::Reduction::Sum, -100, total);
  const at::Tensor grad_logits_TV =
      at::_log_softmax_backward_data(grad_TV, log_p_TV, 1, at::kFloat).to(at::kBFloat16);
  at::mm(grad_logits_TV, weight_VH);
  accumulator_VH.add_(at::mm(grad_logits_TV.t(), x_TH));
}

}  // namespace

void CompareCrossEntropy() {
  const int64_t tokens = 2048, hidden = 512, vocabulary = 32000;
  const at::Tensor x_TH = at::randn({tokens, hidden}).to(at::kBFloat16);
  const at::Tensor weight_VH = (at::randn({vocabulary, hidden}) * 0.05).to(at::kBFloat16);
  const at::Tensor labels_T = at::randint(vocabulary, {tokens}, at::kLong);
  const at::Tensor accumulator_VH = at::zeros({vocabulary, hidden});
  Compare(
      "head_cross_entropy/2048x512x32000", 6. * static_cast<double>(tokens * hidden * vocabulary),
      [=] { AtenHead(x_TH, weight_VH, labels_T, accumulator_VH); },
      [=] { HeadCrossEntropy(x_TH, weight_VH, labels_T, 1, accumulator_VH, {}); });
}

}  // namespace hyperpp::kernels

#include <ATen/ATen.h>
#include <fmt/format.h>

#include "hyperpp/kernels/linear.h"

#include "benchmarks/kernels/compare.h"

namespace hyperpp::kernels {
namespace {

void CompareShape(const char* name, int64_t tokens, int64_t in, int64_t out) {
  const at::Tensor x_TK = at::randn({tokens, in}).to(at::kBFloat16);
  const at::Tensor weight_NK = at::randn({out, in}).to(at::kBFloat16);
  const at::Tensor grad_TN = at::randn({tokens, out}).to(at::kBFloat16);
  const at::Tensor accumulator_NK = at::zeros({out, in});
  const double flops = 2. * static_cast<double>(tokens * in * out);
  const std::string shape = fmt::format("{} {}x{}x{}", name, tokens, in, out);
  Compare(
      "linear_forward/" + shape, flops, [=] { at::linear(x_TK, weight_NK); },
      [=] { LinearForward(x_TK, weight_NK, {}); });
  Compare(
      "linear_input_gradient/" + shape, flops, [=] { at::mm(grad_TN, weight_NK); },
      [=] { LinearInputGradient(grad_TN, weight_NK); });
  Compare(
      "linear_weight_gradient/" + shape, flops,
      [=] { at::Tensor(accumulator_NK).add_(at::mm(grad_TN.t(), x_TK)); },
      [=] { AccumulateLinearWeightGradient(grad_TN, x_TK, accumulator_NK); });
}

}  // namespace

void CompareLinear() {
  CompareShape("qkv", 2048, 512, 1024);
  CompareShape("out", 2048, 512, 512);
  CompareShape("gate_up", 2048, 512, 3072);
  CompareShape("down", 2048, 1536, 512);
  CompareShape("few tokens", 32, 512, 3072);
  const at::Tensor grad_TN = at::randn({2048, 1024}).to(at::kBFloat16);
  const at::Tensor accumulator_N = at::zeros({1024});
  Compare(
      "bias_gradient/2048x1024", 0,
      [=] { at::Tensor(accumulator_N).add_(at::sum(grad_TN, {0}, false, at::kFloat)); },
      [=] { AccumulateBiasGradient(grad_TN, accumulator_N); });
}

}  // namespace hyperpp::kernels

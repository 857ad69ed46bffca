#include <ATen/ATen.h>

#include "hyperpp/kernels/optimizer_step.h"

#include "benchmarks/kernels/compare.h"

namespace hyperpp::kernels {

void CompareOptimizerSteps() {
  const int64_t size = 20'000'000;  // half of the 42M model
  const at::Tensor weight = at::randn({size}), gradient = at::randn({size});
  const at::Tensor exp_avg = at::zeros({size}), exp_avg_sq = at::zeros({size});
  const at::Tensor copy = at::empty({size}, at::kBFloat16), step = at::full({}, 3.f);
  Compare(
      "adamw_with_bf16_copy/20M", 0,
      [=] {
        std::vector<at::Tensor> weights = {weight}, averages = {exp_avg}, squares = {exp_avg_sq},
                                steps = {step};
        at::_fused_adamw_(weights, {gradient}, averages, squares, {}, steps, 1e-4, 0.9, 0.95, 0.1,
                          1e-8, false, false);
        at::Tensor(copy).copy_(weight);
      },
      [=] {
        AdamW(weight, gradient, exp_avg, exp_avg_sq, copy, {1e-4, 0.9, 0.95, 1e-8, 0.1, 3, 1});
      });
  Compare(
      "sum_of_squares/20M", 0, [=] { at::norm(gradient).item<float>(); },
      [=] { SumOfSquares(gradient); });
  Compare(
      "cast_to_bf16/20M", 0, [=] { at::Tensor(copy).copy_(weight); },
      [=] { CastInto(copy, weight); });
}

}  // namespace hyperpp::kernels

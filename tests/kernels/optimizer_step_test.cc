#include "hyperpp/kernels/optimizer_step.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include "hyperpp/core/error.h"

namespace hyperpp::kernels {
namespace {

const std::vector<int64_t> kSizes = {1, 15, 4096, 50001};

double LargestDifference(const at::Tensor& a, const at::Tensor& b) {
  return (a.to(at::kDouble) - b.to(at::kDouble)).abs().max().item<double>();
}

TEST(OptimizerStepTest, SumOfSquaresIsExactToDoubleAtAnyNumberOfThreads) {
  for (at::ScalarType dtype : {at::kFloat, at::kBFloat16}) {
    for (int64_t size : kSizes) {
      const at::Tensor x = at::randn({size}).to(dtype);
      const double expected = x.to(at::kDouble).square().sum().item<double>();
      at::set_num_threads(1);
      const double one_thread = SumOfSquares(x).Value();
      at::set_num_threads(3);
      EXPECT_EQ(SumOfSquares(x).Value(), one_thread);
      EXPECT_NEAR(one_thread / expected, 1, 1e-13);
    }
  }
}

TEST(OptimizerStepTest, SumOfSquaresOfNothingIsZero) {
  EXPECT_EQ(SumOfSquares(at::empty({0})).Value(), 0);
  EXPECT_EQ(SumOfSquares(std::vector<at::Tensor>()).Value(), 0);
}

TEST(OptimizerStepTest, SumOfSquaresIsTheSameHoweverTheTensorIsCut) {
  const at::Tensor x = at::randn({50001}) * at::pow(10.0, at::randn({50001}) * 4);
  const double whole = SumOfSquares(x).Value();
  for (const int64_t size : {1, 100, 4097, 33333}) {
    ExactSum sum;
    for (const at::Tensor& piece : x.split(size)) sum.Add(SumOfSquares(piece.contiguous()));
    EXPECT_EQ(sum.Value(), whole) << size;
  }
}

TEST(OptimizerStepTest, SumsOfSeveralTensorsAddUp) {
  const std::vector<at::Tensor> tensors = {at::randn({5000}), at::randn({3}), at::randn({70})};
  ExactSum expected;
  for (const at::Tensor& tensor : tensors) expected.Add(SumOfSquares(tensor));
  EXPECT_EQ(SumOfSquares(tensors).Value(), expected.Value());
}

TEST(OptimizerStepTest, SumOfSquaresKeepsNonFiniteValues) {
  at::Tensor x = at::ones({5000});
  x[4999] = std::nan("");
  EXPECT_TRUE(std::isnan(SumOfSquares(x).Value()));
  x[4999] = 1e30;  // its square is no fp32
  EXPECT_NEAR(SumOfSquares(x).Value() / 1e60, 1, 1e-6);
}

// torch.optim.AdamW in double.
struct ReferenceAdamW {
  at::Tensor weight, exp_avg, exp_avg_sq;

  void Step(const at::Tensor& gradient, const AdamWStep& o) {
    const at::Tensor g = gradient.to(at::kDouble) * o.gradient_scale;
    weight = weight * (1 - o.lr * o.weight_decay);
    exp_avg = o.beta1 * exp_avg + (1 - o.beta1) * g;
    exp_avg_sq = o.beta2 * exp_avg_sq + (1 - o.beta2) * g * g;
    const double correction1 = 1 - std::pow(o.beta1, o.step);
    const double correction2 = 1 - std::pow(o.beta2, o.step);
    weight = weight -
             o.lr / correction1 * exp_avg / (exp_avg_sq.sqrt() / std::sqrt(correction2) + o.eps);
  }
};

TEST(OptimizerStepTest, AdamWFollowsTheReferenceOverSteps) {
  for (int64_t size : kSizes) {
    at::set_num_threads(2);
    at::Tensor weight = at::randn({size}), exp_avg = at::zeros({size}),
               exp_avg_sq = at::zeros({size}), copy = at::empty({size}, at::kBFloat16);
    const at::Tensor zeros = at::zeros({size}, at::kDouble);
    ReferenceAdamW reference{weight.to(at::kDouble), zeros, zeros};
    for (int64_t step = 1; step <= 5; ++step) {
      const AdamWStep options{0.01, 0.9, 0.95, 1e-8, 0.1, step, 0.5};
      const at::Tensor gradient = at::randn({size});
      AdamW(weight, gradient, exp_avg, exp_avg_sq, copy, options);
      reference.Step(gradient, options);
    }
    EXPECT_LT(LargestDifference(weight, reference.weight), 2e-6);
    EXPECT_LT(LargestDifference(exp_avg, reference.exp_avg), 1e-6);
    EXPECT_LT(LargestDifference(exp_avg_sq, reference.exp_avg_sq), 1e-6);
    EXPECT_TRUE(at::equal(copy, weight.to(at::kBFloat16)));
  }
}

TEST(OptimizerStepTest, AdamWAgreesWithAtensFusedStep) {
  const int64_t size = 4099;
  at::Tensor weight = at::randn({size}), exp_avg = at::randn({size}) * 0.1,
             exp_avg_sq = at::rand({size}) * 0.01;
  const at::Tensor gradient = at::randn({size});
  std::vector<at::Tensor> weights = {weight.clone()}, averages = {exp_avg.clone()},
                          squares = {exp_avg_sq.clone()}, steps = {at::full({}, 7.f)};
  at::_fused_adamw_(weights, {gradient}, averages, squares, {}, steps, 0.01, 0.9, 0.95, 0.1, 1e-8,
                    false, false);
  AdamW(weight, gradient, exp_avg, exp_avg_sq, {}, {0.01, 0.9, 0.95, 1e-8, 0.1, 7, 1});
  EXPECT_LT(LargestDifference(weight, weights[0]), 5e-7);
  EXPECT_LT(LargestDifference(exp_avg, averages[0]), 5e-7);
  EXPECT_LT(LargestDifference(exp_avg_sq, squares[0]), 5e-7);
}

TEST(OptimizerStepTest, SgdFollowsTheReferenceOverSteps) {
  for (double momentum : {0.0, 0.9}) {
    for (int64_t size : kSizes) {
      at::Tensor weight = at::randn({size}), copy = at::empty({size}, at::kBFloat16);
      at::Tensor buffer = momentum == 0 ? at::Tensor() : at::full({size}, std::nan(""), at::kFloat);
      at::Tensor expected = weight.to(at::kDouble), expected_buffer;
      for (int64_t step = 1; step <= 4; ++step) {
        const at::Tensor gradient = at::randn({size});
        Sgd(weight, gradient, buffer, copy, {0.1, momentum, 0.05, step, 0.5});
        at::Tensor change = gradient.to(at::kDouble) * 0.5 + 0.05 * expected;
        if (momentum != 0) {
          expected_buffer = step == 1 ? change : momentum * expected_buffer + change;
          change = expected_buffer;
        }
        expected = expected - 0.1 * change;
      }
      EXPECT_LT(LargestDifference(weight, expected), 2e-6);
      EXPECT_TRUE(at::equal(copy, weight.to(at::kBFloat16)));
    }
  }
}

TEST(OptimizerStepTest, CastRoundsAsAten) {
  at::Tensor in = at::randn({4099});
  in[0] = std::nan("");
  in[1] = std::numeric_limits<float>::infinity();
  in[2] = 1.00390625f;  // between two bf16: goes to the even one
  in[3] = 3.4e38f;      // rounds to infinity
  in[4] = 1e-40f;
  at::Tensor bf16 = at::empty({4099}, at::kBFloat16), fp32 = at::empty({4099});
  CastInto(bf16, in);
  EXPECT_TRUE(at::allclose(bf16, in.to(at::kBFloat16), 0, 0, true));
  CastInto(fp32, in);
  EXPECT_TRUE(at::allclose(fp32, in, 0, 0, true));
}

TEST(OptimizerStepTest, RefusesBuffersThatDoNotFit) {
  at::Tensor weight = at::zeros({8}), exp_avg = at::zeros({8}), exp_avg_sq = at::zeros({8});
  const AdamWStep options{0.01, 0.9, 0.95, 1e-8, 0.1, 1, 1};
  EXPECT_THROW(AdamW(weight, at::zeros({7}), exp_avg, exp_avg_sq, {}, options), InternalError);
  EXPECT_THROW(AdamW(weight, at::zeros({8}), exp_avg, exp_avg_sq, at::zeros({8}), options),
               InternalError);
}

}  // namespace
}  // namespace hyperpp::kernels

#include "hyperpp/kernels/rms_norm.h"

#include <vector>

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <gmock/gmock.h>
#include <torch/csrc/autograd/autograd.h>

#include "hyperpp/core/error.h"

namespace hyperpp::kernels {
namespace {

constexpr double kEps = 1e-5;

// Largest difference over the largest magnitude.
double Error(const at::Tensor& actual, const at::Tensor& expected) {
  return ((actual.to(at::kDouble) - expected).abs().max() / expected.abs().max()).item<double>();
}

at::Tensor NormInDouble(const at::Tensor& x, const at::Tensor& weight) {
  return x * (x.square().mean(-1, true) + kEps).rsqrt() * weight;
}

struct NormCase {
  int64_t rows, size;
  at::ScalarType dtype;
  bool residual;
};

class RmsNormTest : public testing::TestWithParam<NormCase> {};

TEST_P(RmsNormTest, MatchesDoublePrecisionForwardAndBackward) {
  at::set_num_threads(1);
  at::manual_seed(1);
  const auto [rows, size, dtype, with_residual] = GetParam();
  const double rounding = dtype == at::kFloat ? 4e-7 : 4e-3;
  const at::Tensor x = at::randn({rows, size}).to(dtype), weight = at::rand({size}).to(dtype);
  const at::Tensor residual = with_residual ? at::randn({rows, size}).to(dtype) : at::Tensor();
  const RmsNormResult result = RmsNormForward(x, residual, weight, kEps);
  EXPECT_TRUE(result.sum_TH.equal(with_residual ? x + residual : x));

  const at::Tensor sum = result.sum_TH.to(at::kDouble).requires_grad_();
  const at::Tensor weight_d = weight.to(at::kDouble).requires_grad_();
  const at::Tensor y = NormInDouble(sum, weight_d);
  EXPECT_LT(Error(result.y_TH, y.detach()), rounding);
  EXPECT_LT(Error(result.rstd_T, (sum.square().mean(-1) + kEps).rsqrt().detach()), 4e-7);

  const at::Tensor grad_y = at::randn({rows, size}).to(dtype);
  const at::Tensor grad_sum = with_residual ? at::randn({rows, size}).to(dtype) : at::Tensor();
  const auto expected = torch::autograd::grad({y}, {sum, weight_d}, {grad_y.to(at::kDouble)});
  at::Tensor grad_weight = at::ones({size});
  const at::Tensor grad =
      RmsNormBackward(grad_y, grad_sum, result.sum_TH, result.rstd_T, weight, grad_weight);
  EXPECT_EQ(grad.scalar_type(), dtype);
  EXPECT_LT(Error(grad, with_residual ? expected[0] + grad_sum : expected[0]), rounding);
  EXPECT_LT(Error(grad_weight - 1, expected[1]), 4e-6);  // fp32 sums over all rows, beside a 1
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, RmsNormTest,
    testing::Values(NormCase{1, 7, at::kFloat, false}, NormCase{1, 7, at::kBFloat16, true},
                    NormCase{301, 100, at::kFloat, true}, NormCase{301, 100, at::kBFloat16, false},
                    NormCase{70, 512, at::kBFloat16, true}, NormCase{9000, 16, at::kFloat, false},
                    NormCase{40, 33, at::kFloat, true}));

TEST(RmsNormDetailTest, TakesAnFp32WeightWithBf16Rows) {
  const at::Tensor x = at::randn({5, 64}).to(at::kBFloat16), weight = at::rand({64});
  const at::Tensor expected = NormInDouble(x.to(at::kDouble), weight.to(at::kDouble));
  EXPECT_LT(Error(RmsNormForward(x, {}, weight, kEps).y_TH, expected), 4e-3);
}

TEST(RmsNormDetailTest, ThreadsDoNotChangeABit) {
  const at::Tensor x = at::randn({1000, 48}), grad_y = at::randn({1000, 48}), w = at::rand({48});
  std::vector<at::Tensor> grads, weights;
  for (int threads : {1, 2, 3}) {
    at::set_num_threads(threads);
    const RmsNormResult result = RmsNormForward(x, {}, w, kEps);
    weights.push_back(at::zeros({48}));
    grads.push_back(RmsNormBackward(grad_y, {}, result.sum_TH, result.rstd_T, w, weights.back()));
  }
  for (int i : {1, 2}) {
    EXPECT_TRUE(grads[i].equal(grads[0]));
    EXPECT_TRUE(weights[i].equal(weights[0]));
  }
}

TEST(RmsNormDetailTest, NoRowsAndNoAccumulatorAreFine) {
  const at::Tensor w = at::rand({8});
  const RmsNormResult empty = RmsNormForward(at::empty({0, 8}), {}, w, kEps);
  EXPECT_EQ(empty.y_TH.size(0), 0);
  at::Tensor accumulator = at::zeros({8});
  RmsNormBackward(at::empty({0, 8}), {}, empty.sum_TH, empty.rstd_T, w, accumulator);
  EXPECT_EQ(accumulator.abs().sum().item<float>(), 0);
  const RmsNormResult one = RmsNormForward(at::ones({1, 8}), {}, w, kEps);
  EXPECT_EQ(RmsNormBackward(at::ones({1, 8}), {}, one.sum_TH, one.rstd_T, w, {}).size(0), 1);
}

TEST(RmsNormDetailTest, RowsOfAnotherDtypeAreRefused) {
  EXPECT_THROW(RmsNormForward(at::ones({1, 8}, at::kDouble), {}, at::ones({8}), kEps),
               InternalError);
  EXPECT_THROW(RmsNormForward(at::ones({1, 8}), at::ones({2, 8}), at::ones({8}), kEps),
               InternalError);
}

}  // namespace
}  // namespace hyperpp::kernels

#include "hyperpp/kernels/rotary.h"

#include <vector>

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <gmock/gmock.h>
#include <torch/csrc/autograd/autograd.h>

#include "hyperpp/core/error.h"

namespace hyperpp::kernels {
namespace {

constexpr double kEps = 1e-6;

double Error(const at::Tensor& actual, const at::Tensor& expected) {
  return ((actual.to(at::kDouble) - expected).abs().max() / expected.abs().max()).item<double>();
}

RotaryTables MakeTables(int64_t num_positions, int64_t rotated_dim, int64_t num_tokens) {
  const at::Tensor dim = at::arange(0, rotated_dim, 2, at::kDouble) / rotated_dim;
  const at::Tensor angle =
      at::outer(at::arange(num_positions, at::kDouble), at::pow(10000.0, -dim));
  return {angle.cos().to(at::kFloat), angle.sin().to(at::kFloat),
          at::arange(num_tokens, at::kInt).remainder(num_positions).to(at::kInt)};
}

at::Tensor RotateInDouble(const at::Tensor& v, const RotaryTables& tables) {
  const int64_t half = tables.cos_PR.size(1);
  const auto rows = [&](const at::Tensor& table) {
    return table.to(at::kDouble).index_select(0, tables.positions_T).repeat({1, 2}).unsqueeze(1);
  };
  const at::Tensor rotated = v.narrow(2, 0, 2 * half);
  const at::Tensor turned = at::cat({-v.narrow(2, half, half), v.narrow(2, 0, half)}, 2);
  return at::cat({rotated * rows(tables.cos_PR) + turned * rows(tables.sin_PR),
                  v.narrow(2, 2 * half, v.size(2) - 2 * half)},
                 2);
}

struct RotaryCase {
  int64_t tokens, heads, dim, rotated_dim;
  at::ScalarType dtype;
  bool norm;
};

class RotaryTest : public testing::TestWithParam<RotaryCase> {};

TEST_P(RotaryTest, MatchesDoublePrecisionForwardAndBackward) {
  at::set_num_threads(1);
  at::manual_seed(1);
  const auto [tokens, heads, dim, rotated_dim, dtype, with_norm] = GetParam();
  const double rounding = dtype == at::kFloat ? 6e-7 : 4e-3;
  const RotaryTables tables = MakeTables(50, rotated_dim, tokens);
  // Heads in the middle of a fused product.
  const at::Tensor x = at::randn({tokens, heads + 4, dim}).to(dtype).narrow(1, 3, heads);
  const at::Tensor grad_out = at::randn({tokens, heads + 1, dim}).to(dtype).narrow(1, 1, heads);
  HeadNorm norm;
  if (with_norm) norm = {at::rand({dim}).to(dtype), kEps};
  const RotaryResult result = RotaryForward(x, tables, norm);
  EXPECT_EQ(result.rstd_TN.defined(), with_norm);
  EXPECT_TRUE(result.out_TND.is_contiguous());

  const at::Tensor leaf = x.to(at::kDouble).requires_grad_();
  std::vector<at::Tensor> leaves{leaf};
  at::Tensor v = leaf;
  if (with_norm) {
    leaves.push_back(norm.weight_D.to(at::kDouble).requires_grad_());
    v = leaf * (leaf.square().mean(-1, true) + kEps).rsqrt() * leaves[1];
  }
  const at::Tensor out = RotateInDouble(v, tables);
  EXPECT_LT(Error(result.out_TND, out.detach()), rounding);
  const auto expected = torch::autograd::grad({out}, leaves, {grad_out.to(at::kDouble)});
  at::Tensor grad_weight = at::zeros({dim});
  const at::Tensor grad = RotaryBackward(grad_out, x, result.rstd_TN, tables, norm, grad_weight);
  EXPECT_LT(Error(grad, expected[0]), rounding);
  if (with_norm) {
    EXPECT_LT(Error(grad_weight, expected[1]), 4e-6);
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, RotaryTest,
                         testing::Values(RotaryCase{1, 1, 10, 10, at::kFloat, false},
                                         RotaryCase{70, 3, 12, 12, at::kBFloat16, true},
                                         RotaryCase{200, 4, 64, 64, at::kFloat, true},
                                         RotaryCase{200, 4, 64, 64, at::kBFloat16, false},
                                         RotaryCase{33, 2, 80, 32, at::kFloat, true},
                                         RotaryCase{33, 2, 80, 20, at::kBFloat16, false}));

TEST(RotaryDetailTest, ThreadsDoNotChangeABit) {
  const RotaryTables tables = MakeTables(64, 16, 500);
  const at::Tensor x = at::randn({500, 3, 16}), grad_out = at::randn({500, 3, 16});
  const HeadNorm norm{at::rand({16}), kEps};
  std::vector<at::Tensor> results;
  for (int threads : {1, 2}) {
    at::set_num_threads(threads);
    const RotaryResult result = RotaryForward(x, tables, norm);
    at::Tensor weight = at::zeros({16});
    results.push_back(result.out_TND);
    results.push_back(RotaryBackward(grad_out, x, result.rstd_TN, tables, norm, weight));
    results.push_back(weight);
  }
  for (int i : {0, 1, 2}) EXPECT_TRUE(results[i].equal(results[i + 3])) << i;
}

TEST(RotaryDetailTest, TablesThatDoNotFitAreRefused) {
  const at::Tensor x = at::randn({4, 1, 16});
  EXPECT_THROW(RotaryForward(x, MakeTables(8, 32, 4), {}), InternalError);
  EXPECT_THROW(RotaryForward(x, MakeTables(8, 16, 3), {}), InternalError);
}

}  // namespace
}  // namespace hyperpp::kernels

#include "hyperpp/kernels/linear.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <gtest/gtest.h>

namespace hyperpp::kernels {
namespace {

struct Layer {
  at::Tensor x_TK, weight_NK, bias_N, grad_y_TN;

  Layer(int64_t tokens, int64_t in, int64_t out, at::ScalarType dtype) {
    at::manual_seed(tokens + in + out);
    x_TK = at::randn({tokens, in}).to(dtype);
    weight_NK = at::randn({out, in}).to(dtype);
    bias_N = at::randn({out}).to(dtype);
    grad_y_TN = at::randn({tokens, out}).to(dtype);
  }
};

void ExpectClose(const at::Tensor& value, const at::Tensor& expected, double tolerance) {
  EXPECT_LT(((value.to(at::kDouble) - expected).abs().max() / expected.abs().max()).item<double>(),
            tolerance);
}

at::Tensor Double(const at::Tensor& tensor) { return tensor.to(at::kDouble); }

class LinearTest : public testing::TestWithParam<at::ScalarType> {
 protected:
  // A result in bf16 is rounded to 8 bits.
  double ResultTolerance() const { return GetParam() == at::kFloat ? 2e-6 : 4e-3; }
};

TEST_P(LinearTest, ForwardAndInputGradientAgreeWithDouble) {
  for (int threads : {1, 2}) {
    at::set_num_threads(threads);
    for (int64_t tokens : {1, 37, 130}) {
      const Layer layer(tokens, 97, 65, GetParam());
      const at::Tensor y = at::mm(Double(layer.x_TK), Double(layer.weight_NK).t());
      ExpectClose(LinearForward(layer.x_TK, layer.weight_NK, {}), y, ResultTolerance());
      ExpectClose(LinearForward(layer.x_TK, layer.weight_NK, layer.bias_N), y + layer.bias_N,
                  ResultTolerance());
      ExpectClose(LinearInputGradient(layer.grad_y_TN, layer.weight_NK),
                  at::mm(Double(layer.grad_y_TN), Double(layer.weight_NK)), ResultTolerance());
    }
  }
}

TEST_P(LinearTest, WeightGradientIsAddedInFp32) {
  const Layer layer(130, 97, 65, GetParam());
  const at::Tensor flat = at::ones({10 + 65 * 97 + 10});
  const at::Tensor accumulator_NK = flat.narrow(0, 10, 65 * 97).view({65, 97});
  const at::Tensor gradient = at::mm(Double(layer.grad_y_TN).t(), Double(layer.x_TK));
  AccumulateLinearWeightGradient(layer.grad_y_TN, layer.x_TK, accumulator_NK);
  AccumulateLinearWeightGradient(layer.grad_y_TN, layer.x_TK, accumulator_NK);
  ExpectClose(accumulator_NK, 2 * gradient + 1, 2e-6);
  EXPECT_TRUE(at::equal(flat.narrow(0, 0, 10), at::ones({10})));
  EXPECT_TRUE(at::equal(flat.narrow(0, 10 + 65 * 97, 10), at::ones({10})));
}

TEST_P(LinearTest, WeightGradientTakesSlicesOfAFusedGradient) {
  const Layer layer(50, 64, 96, GetParam());
  at::Tensor accumulator_NK = at::zeros({40, 64});
  const at::Tensor slice = layer.grad_y_TN.narrow(1, 33, 40);
  AccumulateLinearWeightGradient(slice, layer.x_TK, accumulator_NK);
  ExpectClose(accumulator_NK, at::mm(Double(slice).t(), Double(layer.x_TK)), 2e-6);
}

TEST_P(LinearTest, BiasGradientIsTheColumnSum) {
  for (int threads : {1, 2}) {
    at::set_num_threads(threads);
    const Layer layer(200, 8, 331, GetParam());
    at::Tensor accumulator_N = at::ones({331});
    AccumulateBiasGradient(layer.grad_y_TN, accumulator_N);
    ExpectClose(accumulator_N, Double(layer.grad_y_TN).sum(0) + 1, 1e-6);
  }
}

TEST_P(LinearTest, NoTokensChangeNothing) {
  const Layer layer(0, 8, 5, GetParam());
  at::Tensor accumulator_NK = at::ones({5, 8}), accumulator_N = at::ones({5});
  EXPECT_EQ(LinearForward(layer.x_TK, layer.weight_NK, {}).sizes(), at::IntArrayRef({0, 5}));
  AccumulateLinearWeightGradient(layer.grad_y_TN, layer.x_TK, accumulator_NK);
  AccumulateBiasGradient(layer.grad_y_TN, accumulator_N);
  EXPECT_TRUE(at::equal(accumulator_NK, at::ones({5, 8})));
  EXPECT_TRUE(at::equal(accumulator_N, at::ones({5})));
}

INSTANTIATE_TEST_SUITE_P(Dtypes, LinearTest, testing::Values(at::kFloat, at::kBFloat16));

}  // namespace
}  // namespace hyperpp::kernels

#include "hyperpp/models/layer/linear.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include "hyperpp/models/parameter_store.h"

namespace hyperpp::models {
namespace {

at::Tensor Values(at::IntArrayRef sizes, double phase) {
  return at::sin(at::arange(c10::multiply_integers(sizes), at::kFloat) * 0.7 + phase).view(sizes);
}

// A layer of 3 inputs and 2 outputs with memory, and one pass through it.
struct LinearTest : testing::Test {
  LinearTest() { weight.copy_(Values({2, 3}, 1)); }

  Linear linear{3, 2, /*bias=*/true};
  ParameterStore store{CollectWeights(linear), at::kCPU, at::kFloat, /*with_gradients=*/true};
  at::Tensor weight = store.weights()[0]->parameter().detach();
  at::Tensor weight_gradient = store.weights()[0]->gradient();
  at::Tensor bias_gradient = store.weights()[1]->gradient();
  at::Tensor grad_y = Values({4, 2}, 3);
};

TEST_F(LinearTest, GradientsAreThoseOfTheProduct) {
  const at::Tensor x = Values({4, 3}, 2).requires_grad_(true);
  torch::autograd::backward({linear.forward(Activation(x))}, {grad_y});
  EXPECT_TRUE(at::allclose(x.grad(), grad_y.mm(weight)));
  EXPECT_TRUE(at::allclose(weight_gradient, grad_y.t().mm(x.detach())));
  EXPECT_TRUE(at::allclose(bias_gradient, grad_y.sum(0)));
}

TEST_F(LinearTest, WeightGradientsThatArePutOffComeWhenTheDeferredWorkRuns) {
  Activation x(Values({4, 3}, 2).requires_grad_(true));
  x.deferred = std::make_shared<DeferredWork>();
  torch::autograd::backward({linear.forward(x)}, {grad_y});
  EXPECT_TRUE(x.value.grad().defined());
  EXPECT_FALSE(weight_gradient.any().item<bool>());
  x.deferred->Run();
  EXPECT_TRUE(at::allclose(weight_gradient, grad_y.t().mm(x.value.detach())));
  EXPECT_TRUE(at::allclose(bias_gradient, grad_y.sum(0)));
}

// Nothing would run the deferred work of an input that has no backward pass.
TEST_F(LinearTest, NothingIsPutOffForAnInputWithoutGradient) {
  Activation x(Values({4, 3}, 2));
  x.deferred = std::make_shared<DeferredWork>();
  torch::autograd::backward({linear.forward(x)}, {grad_y});
  EXPECT_TRUE(at::allclose(weight_gradient, grad_y.t().mm(x.value)));
}

}  // namespace
}  // namespace hyperpp::models

#include "hyperpp/models/layer/graph_node.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/ones.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include "hyperpp/core/error.h"

namespace hyperpp::models {
namespace {

at::Tensor Leaf() { return at::ones({2}).requires_grad_(true); }

at::Tensor Twice(const at::Tensor& x) {
  return AppendNode("Twice", {x}, {x.detach() * 2}, [](const auto& gradients) {
    return std::vector<at::Tensor>{gradients[0] * 2};
  })[0];
}

TEST(GraphNodeTest, BackwardOfAChainIsTheProductOfItsParts) {
  const at::Tensor x = Leaf();
  torch::autograd::backward({Twice(Twice(x))}, {at::ones({2})});
  EXPECT_TRUE(x.grad().equal(at::ones({2}) * 4));
}

TEST(GraphNodeTest, OutputsStayOutsideTheGraphWithoutGradMode) {
  const at::NoGradGuard no_grad;
  EXPECT_FALSE(Twice(Leaf()).requires_grad());
}

TEST(GraphNodeTest, OutputsStayOutsideTheGraphIfNoInputRequiresAGradient) {
  EXPECT_FALSE(Twice(at::ones({2})).requires_grad());
}

TEST(GraphNodeTest, UndefinedInputsAndGradientsPass) {
  const at::Tensor x = Leaf();
  const at::Tensor y =
      AppendNode("First", {x, at::Tensor()}, {x.detach().clone(), x.detach().clone()},
                 [](const auto& gradients) {
                   EXPECT_FALSE(gradients[1].defined());
                   return std::vector<at::Tensor>{gradients[0], at::Tensor()};
                 })[0];
  torch::autograd::backward({y}, {at::ones({2})});
  EXPECT_TRUE(x.grad().equal(at::ones({2})));
}

TEST(GraphNodeTest, SecondBackwardIsReported) {
  const at::Tensor y = Twice(Leaf());
  torch::autograd::backward({y}, {at::ones({2})});
  EXPECT_THROW(torch::autograd::backward({y}, {at::ones({2})}), InternalError);
}

TEST(GraphNodeTest, SavedValuesAreDroppedAfterBackward) {
  const at::Tensor x = Leaf();
  auto saved = std::make_shared<int>(1);
  const std::weak_ptr<int> watch = saved;
  at::Tensor y = AppendNode("Keeps", {x}, {x.detach().clone()}, [saved](const auto& gradients) {
    return std::vector<at::Tensor>{gradients[0]};
  })[0];
  saved.reset();
  EXPECT_FALSE(watch.expired());
  torch::autograd::backward({y}, {at::ones({2})});
  EXPECT_TRUE(watch.expired());
}

}  // namespace
}  // namespace hyperpp::models

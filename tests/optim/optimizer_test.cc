#include "hyperpp/optim/optimizer.h"

#include <cmath>

#include <ATen/ops/full.h>
#include <gtest/gtest.h>

#include "hyperpp/optim/gradient_norm.h"

namespace hyperpp::optim {
namespace {

// A matrix and a gain of two elements, all ones, with gradients 0.5 and 2.
struct TwoWeights {
  explicit TwoWeights(bool bf16 = false)
      : matrix({1, 2}, models::WeightUse::kMatrix), gain({2}, models::WeightUse::kGain) {
    matrix.Materialise({at::full({1, 2}, 1.0),
                        bf16 ? at::full({1, 2}, 1.0, at::kBFloat16) : at::Tensor(),
                        at::full({1, 2}, 0.5)});
    gain.Materialise({at::full({2}, 1.0), {}, at::full({2}, 2.0)});
  }
  std::vector<models::Weight*> All() { return {&matrix, &gain}; }
  models::Weight matrix, gain;
};

config::OptimizerSection Section(config::OptimizerType type) {
  config::OptimizerSection section;
  section.type = type;
  section.eps = 1e-8;
  section.weight_decay = 0.1;
  return section;
}

TEST(OptimizerTest, WeightDecayAppliesToMatricesOnly) {
  TwoWeights weights;
  auto section = Section(config::OptimizerType::kSgd);
  MakeOptimizer(section, weights.All())->Step(1, 0.1, 1.0);
  EXPECT_FLOAT_EQ(weights.matrix.parameter()[0][0].item<float>(), 1 - 0.1 * (0.5 + 0.1));
  EXPECT_FLOAT_EQ(weights.gain.parameter()[0].item<float>(), 1 - 0.1 * 2);
}

TEST(OptimizerTest, AdamWFirstStepMovesByTheLearningRate) {
  TwoWeights weights;
  MakeOptimizer(Section(config::OptimizerType::kAdamW), weights.All())->Step(1, 0.1, 1.0);
  EXPECT_NEAR(weights.matrix.parameter()[0][0].item<float>(), 1 * (1 - 0.1 * 0.1) - 0.1, 1e-6);
  EXPECT_NEAR(weights.gain.parameter()[0].item<float>(), 1 - 0.1, 1e-6);
}

TEST(OptimizerTest, GradientScaleIsAppliedBeforeEverythingElse) {
  TwoWeights scaled, halved;
  auto section = Section(config::OptimizerType::kAdamW);
  section.eps = 0.1;
  const auto a = MakeOptimizer(section, scaled.All()), b = MakeOptimizer(section, halved.All());
  for (models::Weight* weight : halved.All()) at::Tensor(weight->gradient()).mul_(0.5);
  a->Step(1, 0.1, 0.5);
  b->Step(1, 0.1, 1.0);
  EXPECT_TRUE(scaled.matrix.parameter().allclose(halved.matrix.parameter(), 1e-6, 0));
  EXPECT_TRUE(a->state()[0].value.allclose(b->state()[0].value, 1e-6, 0));
}

TEST(OptimizerTest, MomentumIsKeptOnlyIfAskedFor) {
  auto section = Section(config::OptimizerType::kSgd);
  EXPECT_TRUE(StateKinds(section).empty());
  section.momentum = 0.9;
  TwoWeights weights;
  const auto optimizer = MakeOptimizer(section, weights.All());
  ASSERT_EQ(optimizer->state().size(), 2U);
  optimizer->Step(1, 0.1, 1.0);
  optimizer->Step(2, 0.1, 1.0);
  EXPECT_NEAR(weights.gain.parameter()[0].item<float>(), 1 - 0.1 * 2 - 0.1 * (0.9 * 2 + 2), 1e-6);
}

TEST(OptimizerTest, ComputeCopyFollowsTheWeight) {
  TwoWeights weights(/*bf16=*/true);
  MakeOptimizer(Section(config::OptimizerType::kSgd), weights.All())->Step(1, 0.1, 1.0);
  EXPECT_TRUE(
      weights.matrix.compute().equal(weights.matrix.parameter().detach().to(at::kBFloat16)));
}

TEST(GradientNormTest, SumsSquaresOfAllWeights) {
  TwoWeights weights;
  EXPECT_DOUBLE_EQ(GradientSumOfSquares(weights.All()).Value(), 2 * 0.25 + 2 * 4);
}

TEST(GradientNormTest, ClipFactorIsOneBelowTheLimitAndWithoutLimit) {
  EXPECT_EQ(ClipFactor(0.5, 1.0), 1.0);
  EXPECT_EQ(ClipFactor(50, 0), 1.0);
  EXPECT_NEAR(ClipFactor(4, 1.0), 0.25, 1e-6);
}

}  // namespace
}  // namespace hyperpp::optim

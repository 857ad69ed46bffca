#include "hyperpp/plan/stages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/plan/tiny_model.h"

namespace hyperpp::plan {
namespace {

using ::testing::ElementsAre;

std::vector<int64_t> LayersOf(const TrainPlan& plan) {
  std::vector<int64_t> layers;
  for (const StagePlan& stage : plan.stages) layers.push_back(stage.layers.num_layers);
  return layers;
}

TEST(StagesTest, EndStagesHoldEmbeddingAndHead) {
  const auto untied = PlanOf(Pipelined(3, {"pipeline.split=[1, 1, 2]"}), 3, DenseModel(4, false));
  EXPECT_EQ(untied.stages[0].num_parameters, kLayerParameters + kEmbedding);
  EXPECT_EQ(untied.stages[1].num_parameters, kLayerParameters);
  EXPECT_EQ(untied.stages[2].num_parameters, 2 * kLayerParameters + kEmbedding + 32);
  const auto tied = PlanOf(Pipelined(3, {"pipeline.split=[1, 1, 2]"}), 3);
  EXPECT_EQ(tied.stages[2].num_parameters, untied.stages[2].num_parameters)
      << "a tied head is a copy on the last stage";
  EXPECT_EQ(tied.cost.num_parameters, untied.cost.num_parameters - kEmbedding);
}

TEST(StagesTest, AutomaticSplitBalancesLayersOrCosts) {
  EXPECT_THAT(LayersOf(PlanOf(Pipelined(4), 4, DenseModel(10))), ElementsAre(2, 3, 3, 2));
  TinyModel large_head = DenseModel(10, false);
  large_head.outline.parameters.back().shape = {2 * kLayerMatrix / 32, 32};
  EXPECT_THAT(LayersOf(PlanOf(Pipelined(4, {"pipeline.balance=cost"}), 4, large_head)),
              ElementsAre(3, 3, 3, 1));
}

TEST(StagesTest, LayersBeyondTheDecoderBelongToTheLastStage) {
  TinyModel model = DenseModel(4, false);
  model.outline.parameters.push_back({"model.layers.4.eh_proj.weight", {32, 64}, 4});
  const auto plan = PlanOf(Pipelined(2), 2, model);
  EXPECT_EQ(plan.stages[1].num_parameters, 2 * kLayerParameters + kEmbedding + 32 + 32 * 64);
}

TEST(StagesTest, CostsOfTheStagesAddUpToThoseOfTheModel) {
  const TrainPlan plan = PlanOf(Pipelined(3, {"pipeline.split=[1, 1, 2]"}), 3);
  const LayerCosts costs = LayerCostsOf(DenseModel().outline, DenseModel().facts, 32);
  EXPECT_DOUBLE_EQ(plan.stages[0].flops_per_token, costs.layers[0] + costs.embedding);
  EXPECT_DOUBLE_EQ(plan.stages[1].flops_per_token, costs.layers[1]);
  EXPECT_DOUBLE_EQ(plan.stages[2].flops_per_token, costs.layers[2] + costs.layers[3] + costs.head);
}

TEST(StagesTest, BubbleShrinksWithMicrobatchesAndChunks) {
  EXPECT_DOUBLE_EQ(BubbleFraction(1, 1, 8), 0);
  EXPECT_DOUBLE_EQ(BubbleFraction(4, 1, 8), 3.0 / 11);
  EXPECT_DOUBLE_EQ(BubbleFraction(4, 2, 8), 3.0 / 19);
}

}  // namespace
}  // namespace hyperpp::plan

#include "hyperpp/plan/model_cost.h"

#include <gtest/gtest.h>

#include "tests/plan/tiny_model.h"

namespace hyperpp::plan {
namespace {

TEST(ModelCostTest, AttendedKeysAreTheMeanOverThePositions) {
  EXPECT_DOUBLE_EQ(MeanAttendedKeys(4, 0), (1 + 2 + 3 + 4) / 4.0);
  EXPECT_DOUBLE_EQ(MeanAttendedKeys(4, 2), (1 + 2 + 2 + 2) / 4.0);
  EXPECT_DOUBLE_EQ(MeanAttendedKeys(4, 9), (1 + 2 + 3 + 4) / 4.0);
}

TEST(ModelCostTest, DenseModelUsesAllItsParameters) {
  const TinyModel model = DenseModel();
  const ModelCost cost = CostOf(model.outline, model.facts, 32);
  EXPECT_EQ(cost.num_parameters, 4 * kLayerParameters + kEmbedding + 32);
  EXPECT_EQ(cost.num_active_parameters, cost.num_parameters);
  const double attention = 6 * 4 * (16 + 16) * (32 + 1) / 2.0;
  EXPECT_DOUBLE_EQ(cost.flops_per_token, 4 * (6.0 * kLayerMatrix + attention) + 6.0 * kEmbedding);
}

TEST(ModelCostTest, TiedAndUntiedHeadsCostTheSame) {
  const TinyModel tied = DenseModel(4, true), untied = DenseModel(4, false);
  EXPECT_DOUBLE_EQ(CostOf(tied.outline, tied.facts, 32).flops_per_token,
                   CostOf(untied.outline, untied.facts, 32).flops_per_token);
}

TEST(ModelCostTest, OnlyChosenExpertsAreActive) {
  const TinyModel model = ExpertModel();
  const ModelCost cost = CostOf(model.outline, model.facts, 32);
  const int64_t experts = 4 * 3 * 8 * 24 * 32;
  EXPECT_EQ(cost.num_parameters - cost.num_active_parameters, experts - experts / 4);
}

TEST(ModelCostTest, SlidingWindowsMakeTheirLayersCheaper) {
  TinyModel model = DenseModel();
  model.facts.layer_windows = {0, 8, 0, 8};
  const LayerCosts costs = LayerCostsOf(model.outline, model.facts, 32);
  EXPECT_GT(costs.layers[0], costs.layers[1]);
  EXPECT_EQ(costs.layers[0], costs.layers[2]);
}

}  // namespace
}  // namespace hyperpp::plan

#include "hyperpp/plan/weight_units.h"

#include <gtest/gtest.h>

#include "tests/plan/tiny_model.h"

namespace hyperpp::plan {
namespace {

std::vector<WeightGroup> GroupsOf(const std::vector<std::string>& settings, int world_size,
                                  int rank = 0, const TinyModel& model = DenseModel()) {
  const config::Config config = TinyConfig(settings);
  const TrainPlan plan =
      MakePlan(config, model.outline, model.facts, world_size, Purpose::kInspection);
  return GroupsOnRank(config, model.outline, model.facts, plan, rank);
}

TEST(WeightUnitsTest, GroupsFollowTheModel) {
  const auto groups = GroupsOf({}, 1, 0, DenseModel(4, /*tied=*/false));
  ASSERT_EQ(groups.size(), 7u);
  EXPECT_EQ(groups[0].kind, GroupKind::kEmbedding);
  EXPECT_EQ(groups[4].layer, 3);
  EXPECT_EQ(groups[4].NumElements(), kLayerParameters);
  EXPECT_EQ(groups[5].kind, GroupKind::kFinalNorm);
  EXPECT_EQ(groups[6].kind, GroupKind::kHead);
  EXPECT_EQ(GroupsOf({}, 1).size(), 6u) << "a tied head is the embedding";
}

TEST(WeightUnitsTest, GainsAreUnitsOfTheirOwnWhereMatricesAreCast) {
  const auto groups = GroupsOf({"precision.compute_dtype=bfloat16"}, 1);
  ASSERT_EQ(groups[1].units.size(), 2u);
  EXPECT_TRUE(groups[1].units[0].is_gain);
  EXPECT_EQ(groups[1].units[0].numel, 2 * 32);
  EXPECT_EQ(groups[1].GatheredBytes(2), 4 * 2 * 32 + 2 * kLayerMatrix);
}

TEST(WeightUnitsTest, ShardsArePaddedToEqualMultiplesOf32) {
  const auto groups = GroupsOf({"accelerator.dp_shard_size=3", "training.global_batch_size=3"}, 3);
  const WeightUnit& layer = groups[1].units.at(0);
  EXPECT_EQ(layer.numel, (kLayerParameters + 95) / 96 * 96);
  EXPECT_EQ(layer.shard_numel, layer.numel / 3);
  EXPECT_LT(layer.num_trainable, layer.shard_numel + 9);
}

TEST(WeightUnitsTest, WithoutFusionEachWeightIsAUnit) {
  const auto groups = GroupsOf({"accelerator.dp_shard_size=2", "fsdp.comm_fusion=false"}, 2);
  EXPECT_EQ(groups[1].units.size(), 9u);
}

TEST(WeightUnitsTest, TensorParallelismDividesMatrices) {
  const auto groups = GroupsOf({"accelerator.tp_size=2"}, 2);
  EXPECT_EQ(groups[1].NumElements(), kLayerMatrix / 2 + 2 * 32);
}

TEST(WeightUnitsTest, RanksHoldTheirStagesAlone) {
  const auto groups = GroupsOf(Pipelined(2), 2, 1);
  ASSERT_EQ(groups.size(), 4u) << "embedding for the tied head, two layers, final norm";
  EXPECT_EQ(groups[1].layer, 2);
}

TEST(WeightUnitsTest, FrozenWeightsAreNotTrainable) {
  const auto groups = GroupsOf({"training.trainable=[model.norm.weight]"}, 1);
  EXPECT_EQ(groups[1].NumTrainable(), 0);
  EXPECT_EQ(groups.back().NumTrainable(), 32);
}

}  // namespace
}  // namespace hyperpp::plan

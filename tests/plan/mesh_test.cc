#include "hyperpp/plan/mesh.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/plan/tiny_model.h"

namespace hyperpp::plan {
namespace {

using ::testing::HasSubstr;

TEST(MeshTest, WorldIsTheProductOfTheDegrees) {
  EXPECT_EQ(WorldSizeOf(TinyConfig({"accelerator={tp_size: 2, cp_size: 3, dp_replicate_size: 4}"})),
            24);
  EXPECT_EQ(WorldSizeOf(TinyConfig({"accelerator.dp_shard_size=-1"})), std::nullopt);
  EXPECT_EQ(WorldSizeOf(TinyConfig({"accelerator={tp_size: 2e9, cp_size: 2e9, ep_size: 2e9}"})),
            std::numeric_limits<int>::max());
}

TEST(MeshTest, ShardsTakeWhatIsLeftOfTheWorld) {
  const TrainPlan plan = PlanOf({"accelerator={tp_size: 2, dp_shard_size: -1}"}, 8);
  EXPECT_EQ(plan.mesh.Degree(Axis::kShard), 4);
  EXPECT_EQ(plan.mesh.Degree(Axis::kTensor), 2);
  EXPECT_THAT(RefusalOf({"accelerator={tp_size: 2, dp_shard_size: -1}"}, 5),
              HasSubstr("accelerator.dp_shard_size: -1, but 5 ranks do not divide by pp_size 1 * "
                        "tp_size 2 * cp_size 1 * dp_replicate_size 1 = 2"));
  EXPECT_THAT(RefusalOf({"accelerator={tp_size: 4, dp_shard_size: -1}"}, 2),
              HasSubstr("2 ranks do not divide by"));
}

TEST(MeshTest, WorldThatIsNotTheProductIsRefusedWithTheNumbers) {
  EXPECT_EQ(RefusalOf({"accelerator.dp_replicate_size=2"}, 4),
            "--set accelerator: pp_size 1 * tp_size 1 * cp_size 1 * dp_shard_size 1 * "
            "dp_replicate_size 2 = 2, but the job has 4 ranks; change a size or the number of "
            "ranks");
}

TEST(MeshTest, ExpertGroupsLieInsideTheBlock) {
  EXPECT_EQ(PlanOf({"accelerator={ep_size: 4, tp_size: 2, dp_shard_size: 2}"}, 4, ExpertModel())
                .mesh.ExpertDegree(),
            4);
  EXPECT_THAT(RefusalOf({"accelerator={ep_size: 4, dp_shard_size: 2, dp_replicate_size: 2}"}, 4,
                        ExpertModel()),
              HasSubstr("accelerator.ep_size: 4 does not divide dp_shard_size 2 * cp_size 1 * "
                        "tp_size 1 = 2"));
}

}  // namespace
}  // namespace hyperpp::plan

#include "hyperpp/core/mesh_layout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hyperpp/core/error.h"

namespace hyperpp {
namespace {

using ::testing::ElementsAre;

TEST(MeshLayoutTest, TensorCoordinateChangesFastestAndPipelineSlowest) {
  const MeshLayout layout({2, 1, 2, 1, 2});
  EXPECT_EQ(layout.WorldSize(), 8);
  EXPECT_EQ(layout.Coordinate(5, Axis::kPipeline), 1);
  EXPECT_EQ(layout.Coordinate(5, Axis::kShard), 0);
  EXPECT_EQ(layout.Coordinate(5, Axis::kTensor), 1);
  EXPECT_EQ(layout.Describe(5), "pp 1, dp_shard 0, tp 1");
}

TEST(MeshLayoutTest, LabelNamesTheRankAndItsPlace) {
  EXPECT_EQ(MeshLayout({2, 1, 2, 1, 2}).Label(5), "rank 5 (pp 1, dp_shard 0, tp 1)");
  EXPECT_EQ(MeshLayout().Label(0), "rank 0");
}

TEST(MeshLayoutTest, GroupsAlongAxesCoverEveryRankOnce) {
  const MeshLayout layout({2, 1, 2, 1, 2});
  EXPECT_THAT(layout.GroupOf(5, {Axis::kShard}), ElementsAre(5, 7));
  EXPECT_THAT(layout.Groups({Axis::kTensor}), ElementsAre(ElementsAre(0, 1), ElementsAre(2, 3),
                                                          ElementsAre(4, 5), ElementsAre(6, 7)));
  EXPECT_THAT(layout.GroupOf(0, {Axis::kPipeline, Axis::kTensor}), ElementsAre(0, 1, 4, 5));
}

TEST(MeshLayoutTest, DataCoordinateCountsReplicasOutsideShards) {
  const MeshLayout layout({1, 2, 2, 1, 1});
  for (int rank = 0; rank < 4; ++rank) EXPECT_EQ(layout.DataCoordinate(rank), rank);
}

TEST(MeshLayoutTest, RankOutsideTheWorldIsADefect) {
  EXPECT_THROW(MeshLayout().Coordinate(1, Axis::kTensor), InternalError);
}

}  // namespace
}  // namespace hyperpp

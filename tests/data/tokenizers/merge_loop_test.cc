#include "hyperpp/data/tokenizers/merge_loop.h"

#include <random>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hyperpp::data {
namespace {

using ::testing::ElementsAre;

std::vector<int32_t> Merged(const MergeTable& merges, std::vector<int32_t> ids) {
  ids.resize(MergeAll(merges, ids.data(), ids.size()));
  return ids;
}

TEST(MergeLoopTest, LowestRankComesFirst) {
  MergeTable merges(2);
  merges.Insert(1, 2, {1, 12});
  merges.Insert(2, 3, {0, 23});
  EXPECT_THAT(Merged(merges, {1, 2, 3}), ElementsAre(1, 23));
}

TEST(MergeLoopTest, LeftmostOfEqualPairsComesFirst) {
  MergeTable merges(1);
  merges.Insert(1, 1, {0, 11});
  EXPECT_THAT(Merged(merges, {1, 1, 1}), ElementsAre(11, 1));
}

TEST(MergeLoopTest, MergesBuildOnMerges) {
  MergeTable merges(2);
  merges.Insert(1, 2, {0, 12});
  merges.Insert(12, 12, {1, 99});
  EXPECT_THAT(Merged(merges, {1, 2, 1, 2, 1}), ElementsAre(99, 1));
}

TEST(MergeLoopTest, NothingToMerge) {
  const MergeTable merges(0);
  EXPECT_THAT(Merged(merges, {}), ElementsAre());
  EXPECT_THAT(Merged(merges, {7}), ElementsAre(7));
  EXPECT_THAT(Merged(merges, {7, 8}), ElementsAre(7, 8));
}

TEST(MergeLoopTest, RescanAndHeapAgree) {
  std::mt19937 random(1);
  for (int round = 0; round < 300; ++round) {
    MergeTable merges(60);
    int32_t next = 4;
    for (uint32_t rank = 0; rank < 60; ++rank) {
      const auto left = static_cast<int32_t>(random() % static_cast<unsigned>(next));
      const auto right = static_cast<int32_t>(random() % static_cast<unsigned>(next));
      if (merges.Find(left, right) == nullptr) merges.Insert(left, right, {rank, next++});
    }
    std::vector<int32_t> rescanned(1 + random() % kLongestRescanned);
    for (int32_t& id : rescanned) id = static_cast<int32_t>(random() % 4);
    std::vector<int32_t> by_heap = rescanned;
    rescanned.resize(MergeByRescan(merges, rescanned.data(), rescanned.size()));
    by_heap.resize(MergeByHeap(merges, by_heap.data(), by_heap.size()));
    ASSERT_EQ(rescanned, by_heap) << "round " << round;
  }
}

TEST(MergeLoopTest, LongPiecesTakeLittleTime) {
  MergeTable merges(20);
  for (int32_t level = 0; level < 20; ++level) {
    merges.Insert(level, level, {static_cast<uint32_t>(level), level + 1});
  }
  std::vector<int32_t> ids(size_t{1} << 16, 0);
  EXPECT_EQ(MergeAll(merges, ids.data(), ids.size()), 1u);
  EXPECT_EQ(ids[0], 16);
}

}  // namespace
}  // namespace hyperpp::data

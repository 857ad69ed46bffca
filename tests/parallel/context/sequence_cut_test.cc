#include "hyperpp/parallel/context/sequence_cut.h"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hyperpp/core/error.h"

namespace hyperpp::parallel {
namespace {

using ::testing::ElementsAre;

TEST(SequenceCutTest, BalancedRanksHoldAChunkFromEachEnd) {
  const SequenceCut cut(3, true);
  EXPECT_EQ(cut.Multiple(), 6);
  EXPECT_THAT(cut.IndicesOf(0, 12), ElementsAre(0, 1, 10, 11));
  EXPECT_THAT(cut.IndicesOf(1, 12), ElementsAre(2, 3, 8, 9));
  EXPECT_THAT(cut.IndicesOf(2, 12), ElementsAre(4, 5, 6, 7));
}

TEST(SequenceCutTest, ContiguousRanksHoldOneRun) {
  const SequenceCut cut(3, false);
  EXPECT_EQ(cut.Multiple(), 3);
  EXPECT_THAT(cut.ChunksOf(1, 12), ElementsAre(TokenRange{4, 8}));
}

TEST(SequenceCutTest, OneRankHoldsEverythingOfAnyLength) {
  const SequenceCut cut(1, true);
  EXPECT_EQ(cut.Multiple(), 1);
  EXPECT_THAT(cut.ChunksOf(0, 7), ElementsAre(TokenRange{0, 7}));
}

TEST(SequenceCutTest, EveryTokenIsHeldOnceByRanksOfEqualSize) {
  for (const bool balanced : {false, true}) {
    for (int degree = 1; degree <= 8; ++degree) {
      const SequenceCut cut(degree, balanced);
      const int64_t length = 3 * cut.Multiple();
      std::set<int32_t> held;
      for (int rank = 0; rank < degree; ++rank) {
        const auto indices = cut.IndicesOf(rank, length);
        EXPECT_EQ(static_cast<int64_t>(indices.size()) * degree, length);
        held.insert(indices.begin(), indices.end());
      }
      EXPECT_EQ(static_cast<int64_t>(held.size()), length);
    }
  }
}

TEST(SequenceCutTest, BalanceMakesCausalWorkEqual) {
  const SequenceCut cut(4, true);
  std::set<int64_t> work;
  for (int rank = 0; rank < 4; ++rank) {
    int64_t pairs = 0;
    for (const int32_t index : cut.IndicesOf(rank, 64)) pairs += index + 1;
    work.insert(pairs);
  }
  EXPECT_EQ(work.size(), 1U);
}

TEST(SequenceCutTest, LengthThatDoesNotDivideIsADefect) {
  EXPECT_THROW(SequenceCut(2, true).ChunksOf(0, 6), InternalError);
  EXPECT_EQ(SequenceCut(2, true).Multiple(), 4);
  EXPECT_EQ(SequenceCut(2, false).Multiple(), 2);
}

}  // namespace
}  // namespace hyperpp::parallel

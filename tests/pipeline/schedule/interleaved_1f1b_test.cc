#include "hyperpp/pipeline/schedule/interleaved_1f1b.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hyperpp/core/error.h"
#include "hyperpp/pipeline/schedule/grid_text.h"
#include "hyperpp/pipeline/schedule/simulator.h"

namespace hyperpp::pipeline {
namespace {

using ::testing::ElementsAre;

double BubbleOf(const ScheduleShape& shape) {
  return BubbleFraction(Simulate(Interleaved1F1B(shape), UniformDurations(shape, 1, 1)));
}

TEST(Interleaved1F1BTest, GoldenGrid) {
  EXPECT_EQ(FormatGrid(Interleaved1F1B({2, 2, 4})),
            "        0   1   2   3   4   5   6   7   8   9   10  11  12  13  14  15  16  17\n"
            "rank 0  0F0 0F1 2F0 2F1 0F2 2B0 0F3 2B1 2F2 0B0 2F3 0B1 .   2B2 .   2B3 0B2 0B3\n"
            "rank 1  .   1F0 1F1 3F0 3B0 3F1 3B1 1F2 1B0 1F3 1B1 3F2 3B2 3F3 3B3 1B2 1B3 .\n");
}

TEST(Interleaved1F1BTest, RoundsAreSharedOutLargerOnesFirst) {
  EXPECT_THAT(MicrobatchRounds({4, 2, 8}), ElementsAre(4, 4));
  EXPECT_THAT(MicrobatchRounds({4, 2, 10}), ElementsAre(5, 5));
  EXPECT_THAT(MicrobatchRounds({4, 2, 11}), ElementsAre(6, 5));
  EXPECT_THAT(MicrobatchRounds({4, 2, 7}), ElementsAre(7));
  EXPECT_THAT(MicrobatchRounds({4, 2, 3}), ElementsAre(3));
  EXPECT_THAT(MicrobatchRounds({4, 2, 1}), ElementsAre(1));
}

// Also where m is no multiple of p: larger rounds delay the first backward pass, not the end.
TEST(Interleaved1F1BTest, BubbleShrinksByTheNumberOfChunks) {
  for (int p = 2; p <= 5; ++p) {
    for (int v = 2; v <= 4; ++v) {
      for (int m = p; m <= 12; ++m) {
        EXPECT_NEAR(BubbleOf({p, v, m}), (p - 1.0) / (v * m + p - 1), 1e-12)
            << p << " ranks, " << v << " chunks, " << m << " microbatches";
      }
    }
  }
}

TEST(Interleaved1F1BTest, OneChunkIsRefused) {
  EXPECT_THROW(Interleaved1F1B({2, 1, 4}), PlanError);
  EXPECT_THROW(Interleaved1F1B({2, 2, 0}), PlanError);
}

}  // namespace
}  // namespace hyperpp::pipeline

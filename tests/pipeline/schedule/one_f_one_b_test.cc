#include "hyperpp/pipeline/schedule/one_f_one_b.h"

#include <gtest/gtest.h>

#include "hyperpp/core/error.h"
#include "hyperpp/pipeline/schedule/grid_text.h"

namespace hyperpp::pipeline {
namespace {

TEST(OneFOneBTest, GoldenGrid) {
  EXPECT_EQ(FormatGrid(OneFOneB({3, 1, 4})),
            "        0   1   2   3   4   5   6   7   8   9   10  11\n"
            "rank 0  0F0 0F1 0F2 .   .   0B0 0F3 0B1 .   0B2 .   0B3\n"
            "rank 1  .   1F0 1F1 .   1B0 1F2 1B1 1F3 1B2 .   1B3 .\n"
            "rank 2  .   .   2F0 2B0 2F1 2B1 2F2 2B2 2F3 2B3 .   .\n");
}

TEST(OneFOneBTest, FewerMicrobatchesThanRanks) {
  EXPECT_EQ(FormatGrid(OneFOneB({4, 1, 2})),
            "        0   1   2   3   4   5   6   7   8   9\n"
            "rank 0  0F0 0F1 .   .   .   .   .   0B0 .   0B1\n"
            "rank 1  .   1F0 1F1 .   .   .   1B0 .   1B1 .\n"
            "rank 2  .   .   2F0 2F1 .   2B0 .   2B1 .   .\n"
            "rank 3  .   .   .   3F0 3B0 3F1 3B1 .   .   .\n");
}

TEST(OneFOneBTest, ChunksAreRefused) { EXPECT_THROW(OneFOneB({2, 2, 4}), PlanError); }

}  // namespace
}  // namespace hyperpp::pipeline

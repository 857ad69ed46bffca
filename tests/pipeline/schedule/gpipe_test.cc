#include "hyperpp/pipeline/schedule/gpipe.h"

#include <gtest/gtest.h>

#include "hyperpp/core/error.h"
#include "hyperpp/pipeline/schedule/grid_text.h"

namespace hyperpp::pipeline {
namespace {

TEST(GPipeTest, GoldenGrid) {
  EXPECT_EQ(FormatGrid(GPipe({3, 1, 3})),
            "        0   1   2   3   4   5   6   7   8   9\n"
            "rank 0  0F0 0F1 0F2 .   .   .   .   0B2 0B1 0B0\n"
            "rank 1  .   1F0 1F1 1F2 .   .   1B2 1B1 1B0 .\n"
            "rank 2  .   .   2F0 2F1 2F2 2B2 2B1 2B0 .   .\n");
}

TEST(GPipeTest, SingleMicrobatch) {
  EXPECT_EQ(FormatGrid(GPipe({2, 1, 1})),
            "        0   1   2   3\n"
            "rank 0  0F0 .   .   0B0\n"
            "rank 1  .   1F0 1B0 .\n");
}

TEST(GPipeTest, ChunksAreRefused) {
  EXPECT_THROW(GPipe({2, 2, 4}), PlanError);
  EXPECT_THROW(GPipe({2, 1, 0}), PlanError);
}

}  // namespace
}  // namespace hyperpp::pipeline

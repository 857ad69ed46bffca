#include "hyperpp/core/round_up.h"

#include <gtest/gtest.h>

namespace hyperpp {
namespace {

TEST(RoundUpTest, PiecesCoverASizeThatDoesNotDivide) {
  EXPECT_EQ(CeilDivide(0, 4), 0);
  EXPECT_EQ(CeilDivide(1, 4), 1);
  EXPECT_EQ(CeilDivide(8, 4), 2);
  EXPECT_EQ(CeilDivide(9, 4), 3);
}

TEST(RoundUpTest, AMultipleStaysWhatItIs) {
  EXPECT_EQ(RoundUp(64, 32), 64);
  EXPECT_EQ(RoundUp(65, 32), 96);
}

}  // namespace
}  // namespace hyperpp

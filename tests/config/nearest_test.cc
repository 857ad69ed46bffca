#include "hyperpp/config/nearest.h"

#include <gtest/gtest.h>

namespace hyperpp::config {
namespace {

TEST(NearestTest, DistanceCountsEditsAndSwaps) {
  EXPECT_EQ(EditDistance("", "abc"), 3);
  EXPECT_EQ(EditDistance("steps", "steps"), 0);
  EXPECT_EQ(EditDistance("setps", "steps"), 1);
  EXPECT_EQ(EditDistance("kitten", "sitting"), 3);
}

TEST(NearestTest, NearestWordIsGivenOnlyIfItIsNear) {
  EXPECT_EQ(NearestWord("trainig", {"data", "training"}), "training");
  EXPECT_EQ(NearestWord("1b1f", {"gpipe", "1f1b", "interleaved1f1b"}), "1f1b");
  EXPECT_EQ(NearestWord("zebra", {"data", "training"}), std::nullopt);
  EXPECT_EQ(NearestWord("", {"a"}), std::nullopt);
}

}  // namespace
}  // namespace hyperpp::config

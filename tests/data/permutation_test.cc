#include "hyperpp/data/permutation.h"

#include <algorithm>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "hyperpp/core/mix64.h"

namespace hyperpp::data {
namespace {

std::vector<int64_t> Order(int64_t size, uint64_t key) {
  const Permutation permutation(size, key);
  std::vector<int64_t> order;
  for (int64_t i = 0; i < size; ++i) order.push_back(permutation(i));
  return order;
}

TEST(PermutationTest, EveryValueOccursOnceForEverySize) {
  for (int64_t size = 1; size <= 300; ++size) {
    std::vector<int64_t> order = Order(size, Mix64(1, size));
    std::sort(order.begin(), order.end());
    for (int64_t i = 0; i < size; ++i) ASSERT_EQ(order[static_cast<size_t>(i)], i) << size;
  }
}

TEST(PermutationTest, LargeSizesStayInsideAndDoNotCollide) {
  const int64_t size = (int64_t{1} << 40) - 3;
  const Permutation permutation(size, 5);
  std::set<int64_t> seen;
  for (int64_t i = 0; i < 2000; ++i) {
    const int64_t value = permutation(size - 1 - i);
    EXPECT_TRUE(value >= 0 && value < size);
    seen.insert(value);
  }
  EXPECT_EQ(seen.size(), 2000u);
}

TEST(PermutationTest, SameKeyGivesTheSameOrderAndOthersDiffer) {
  EXPECT_EQ(Order(64, 7), Order(64, 7));
  EXPECT_NE(Order(64, 7), Order(64, 8));
}

// 24 orders of 4 values over 24000 keys: a uniform choice gives each 1000 +- 31 times, and the
// chi-squared sum of 23 degrees of freedom exceeds 50 once in a thousand times. The keys are fixed.
TEST(PermutationTest, SmallSetsTakeEveryOrderEquallyOften) {
  std::vector<int> counts(256);
  for (uint64_t key = 0; key < 24000; ++key) {
    const std::vector<int64_t> order = Order(4, Mix64(3, key));
    ++counts[static_cast<size_t>(order[0] * 64 + order[1] * 16 + order[2] * 4 + order[3])];
  }
  double chi_squared = 0;
  int num_orders = 0;
  for (const int count : counts) {
    if (count == 0) continue;
    ++num_orders;
    chi_squared += (count - 1000.0) * (count - 1000.0) / 1000.0;
  }
  EXPECT_EQ(num_orders, 24);
  EXPECT_LT(chi_squared, 50);
}

// Neighbours in the set should not stay neighbours: of 1000 places about one keeps its successor.
TEST(PermutationTest, NeighboursAreSeparated) {
  const std::vector<int64_t> order = Order(1000, 11);
  int num_kept = 0;
  for (size_t i = 1; i < order.size(); ++i) num_kept += order[i] == order[i - 1] + 1;
  EXPECT_LT(num_kept, 8);
}

TEST(Mix64Test, ScaledBitsAreTheUpperHalfOfTheProduct) {
  EXPECT_EQ(ScaleTo(0, 10), 0u);
  EXPECT_EQ(ScaleTo(~uint64_t{0}, 10), 9u);
  EXPECT_EQ(ScaleTo(uint64_t{1} << 63, 7), 3u);
  EXPECT_EQ(ScaleTo(~uint64_t{0}, ~uint64_t{0}), ~uint64_t{0} - 1);
  EXPECT_EQ(ScaleTo(0x123456789abcdef0, 0xfedcba9876543210), 0x121fa00ad77d7422u);
}

}  // namespace
}  // namespace hyperpp::data

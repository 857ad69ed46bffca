#include "hyperpp/data/mixture_order.h"

#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hyperpp::data {
namespace {

using ::testing::ElementsAre;

std::vector<size_t> Sources(const std::vector<double>& weights, int count) {
  MixtureOrder order(weights);
  std::vector<size_t> sources;
  for (int i = 0; i < count; ++i) sources.push_back(order.Next().source);
  return sources;
}

TEST(MixtureOrderTest, NextSampleComesFromTheSourceFurthestBehind) {
  EXPECT_THAT(Sources({2, 1, 1}, 8), ElementsAre(0, 1, 2, 0, 0, 1, 2, 0));
  EXPECT_THAT(Sources({0.25, 0.75}, 8), ElementsAre(1, 0, 1, 1, 1, 0, 1, 1));
  EXPECT_THAT(Sources({3}, 3), ElementsAre(0, 0, 0));
}

TEST(MixtureOrderTest, NoSourceIsEverAWholeSampleOffItsShare) {
  const std::vector<double> weights = {0.7, 0.2, 0.0437, 3.14159};
  const double sum = 0.7 + 0.2 + 0.0437 + 3.14159;
  MixtureOrder order(weights);
  for (int draw = 1; draw <= 5000; ++draw) {
    order.Next();
    for (size_t i = 0; i < weights.size(); ++i)
      ASSERT_NEAR(static_cast<double>(order.counts()[i]), weights[i] / sum * draw, 1.0 + 1e-4);
  }
}

TEST(MixtureOrderTest, NumbersCountTheDrawsOfEachSource) {
  MixtureOrder order({1, 1});
  EXPECT_EQ(order.Next().number, 0);
  EXPECT_EQ(order.Next().number, 0);
  const MixtureOrder::Draw third = order.Next();
  EXPECT_EQ(third.source, 0u);
  EXPECT_EQ(third.number, 1);
}

TEST(MixtureOrderTest, SeekingEqualsDrawingOneByOne) {
  const std::vector<double> weights = {0.7, 0.2, 0.1};
  MixtureOrder straight(weights);
  std::vector<MixtureOrder::Draw> draws;
  for (int i = 0; i < 100; ++i) draws.push_back(straight.Next());
  MixtureOrder jumping(weights);
  for (const int target : {57, 3, 3, 99, 10, 11, 0, 40}) {
    jumping.Seek(target);
    const MixtureOrder::Draw draw = jumping.Next();
    EXPECT_EQ(draw.source, draws[static_cast<size_t>(target)].source) << target;
    EXPECT_EQ(draw.number, draws[static_cast<size_t>(target)].number) << target;
  }
}

TEST(MixtureOrderTest, FarDrawsAreReachedAtOnce) {
  MixtureOrder order({0.7, 0.3});
  order.Seek(int64_t{1} << 50);
  EXPECT_NEAR(static_cast<double>(order.counts()[0]), 0.7 * static_cast<double>(int64_t{1} << 50),
              1.0);
}

TEST(MixtureOrderTest, WeightsBecomeSmallIntegersWherePossible) {
  EXPECT_THAT(IntegerWeights({0.7, 0.3}), ElementsAre(7, 3));
  EXPECT_THAT(IntegerWeights({2, 1, 1}), ElementsAre(2, 1, 1));
  EXPECT_THAT(IntegerWeights({0.3333, 0.6667}), ElementsAre(3333, 6667));
  EXPECT_EQ(IntegerWeights({1e-12, 1})[0], 1);
}

}  // namespace
}  // namespace hyperpp::data

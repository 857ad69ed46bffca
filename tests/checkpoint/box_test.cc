#include "hyperpp/checkpoint/box.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hyperpp::checkpoint {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(BoxTest, IntersectionIsTheCommonPart) {
  const auto common = Intersect({{0, 4}, {4, 4}}, {{2, 0}, {4, 6}});
  ASSERT_TRUE(common);
  EXPECT_THAT(common->offsets, ElementsAre(2, 4));
  EXPECT_THAT(common->sizes, ElementsAre(2, 2));
}

TEST(BoxTest, NeighboursHaveNothingInCommon) {
  EXPECT_FALSE(Intersect({{0}, {4}}, {{4}, {4}}));
  EXPECT_FALSE(Intersect({{0}, {4}}, {{2}, {0}}));
}

TEST(BoxTest, ScalarsAreOneElement) {
  EXPECT_EQ(NumElements({}), 1);
  EXPECT_TRUE(Intersect({}, {}));
  EXPECT_EQ(DescribeTilingError({Box{}}, {}), "");
  EXPECT_NE(DescribeTilingError({}, {}), "");
}

TEST(BoxTest, FitsRefusesOverflowingNumbers) {
  EXPECT_TRUE(Fits({{2}, {2}}, {4}));
  EXPECT_FALSE(Fits({{3}, {2}}, {4}));
  EXPECT_FALSE(Fits({{-1}, {2}}, {4}));
  EXPECT_FALSE(Fits({{1}, {INT64_MAX}}, {4}));
  EXPECT_FALSE(Fits({{0, 0}, {1, 1}}, {4}));
}

TEST(BoxTest, NarrowCountsFromTheOrigin) {
  const at::Tensor part = at::arange(12).view({3, 4});
  const at::Tensor cut = Narrow(part, {{11, 2}, {1, 2}}, {10, 0});
  EXPECT_TRUE(cut.equal(at::tensor({6, 7}).view({1, 2})));
}

TEST(BoxTest, TilingNamesGapOverlapAndOutside) {
  EXPECT_EQ(DescribeTilingError({{{0}, {2}}, {{2}, {0}}, {{2}, {3}}}, {5}), "");
  EXPECT_THAT(DescribeTilingError({{{0}, {2}}, {{3}, {2}}}, {5}), HasSubstr("4 of 5"));
  EXPECT_THAT(DescribeTilingError({{{0}, {3}}, {{2}, {3}}}, {5}), HasSubstr("[0:3] and [2:5]"));
  EXPECT_THAT(DescribeTilingError({{{3}, {3}}}, {5}), HasSubstr("outside the shape [5]"));
}

}  // namespace
}  // namespace hyperpp::checkpoint

#include "hyperpp/models/layer/forward_context.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

namespace hyperpp::models {
namespace {

at::Tensor Ints(std::vector<int> values) { return at::tensor(values, at::kInt).unsqueeze(0); }

TEST(AttentionSpansTest, CausalReachesFromTheStartToTheTokenItself) {
  AttentionSpans spans(at::zeros({1, 4}, at::kInt));
  EXPECT_TRUE(spans.For(0).begin_BS.equal(Ints({0, 0, 0, 0})));
  EXPECT_TRUE(spans.For(0).end_BS.equal(Ints({1, 2, 3, 4})));
}

TEST(AttentionSpansTest, WindowCountsTheTokenItself) {
  AttentionSpans spans(at::zeros({1, 4}, at::kInt));
  EXPECT_TRUE(spans.For(2).begin_BS.equal(Ints({0, 0, 1, 2})));
}

TEST(AttentionSpansTest, DocumentStartLimitsTheWindow) {
  AttentionSpans spans(Ints({0, 0, 2, 2}));
  EXPECT_TRUE(spans.For(0).begin_BS.equal(Ints({0, 0, 2, 2})));
  EXPECT_TRUE(spans.For(2).begin_BS.equal(Ints({0, 0, 2, 2})));
}

TEST(AttentionSpansTest, OffsetPlacesQueriesBehindTheCache) {
  AttentionSpans spans(at::zeros({1, 7}, at::kInt), at::arange(5, 7, at::kInt));
  EXPECT_TRUE(spans.For(0).end_BS.equal(Ints({6, 7})));
  EXPECT_TRUE(spans.For(3).begin_BS.equal(Ints({3, 4})));
}

TEST(AttentionSpansTest, QueriesMayStandAnywhereInTheSequence) {
  const at::Tensor indices = at::tensor({0, 1, 6, 7}, at::kInt);
  AttentionSpans spans(Ints({0, 0, 0, 0, 0, 5, 5, 5}), indices);
  EXPECT_TRUE(spans.For(0).begin_BS.equal(Ints({0, 0, 5, 5})));
  EXPECT_TRUE(spans.For(0).end_BS.equal(Ints({1, 2, 7, 8})));
  EXPECT_TRUE(spans.For(2).begin_BS.equal(Ints({0, 0, 5, 6})));
  EXPECT_TRUE(spans.ForAllTokens(2).begin_BS.equal(Ints({0, 0, 1, 2, 3, 5, 5, 6})));
  EXPECT_TRUE(spans.ForAllTokens(2).end_BS.equal(Ints({1, 2, 3, 4, 5, 6, 7, 8})));
}

TEST(AttentionSpansTest, QueriesThatMeetKeysAreOneRange) {
  const at::Tensor indices = at::tensor({0, 1, 6, 7}, at::kInt);
  AttentionSpans spans(Ints({0, 0, 0, 0, 0, 5, 5, 5}), indices);
  const auto meet = [&](int64_t window, int64_t first, int64_t end) {
    const auto range = spans.QueriesThatMeet(window, first, end);
    return std::pair(range.first, range.end);
  };
  EXPECT_EQ(meet(0, 0, 2), std::pair(int64_t{0}, int64_t{2}));
  EXPECT_EQ(meet(0, 1, 6), std::pair(int64_t{1}, int64_t{4}));
  EXPECT_EQ(meet(0, 6, 8), std::pair(int64_t{2}, int64_t{4}));
  EXPECT_EQ(meet(2, 4, 6), std::pair(int64_t{2}, int64_t{3}));
  const auto none = spans.QueriesThatMeet(0, 2, 5);
  EXPECT_EQ(none.first, none.end);
}

}  // namespace
}  // namespace hyperpp::models

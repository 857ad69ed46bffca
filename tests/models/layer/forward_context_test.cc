#include "hyperpp/models/layer/forward_context.h"

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
  AttentionSpans spans(at::zeros({1, 2}, at::kInt), 5);
  EXPECT_TRUE(spans.For(0).end_BS.equal(Ints({6, 7})));
  EXPECT_TRUE(spans.For(3).begin_BS.equal(Ints({3, 4})));
}

}  // namespace
}  // namespace hyperpp::models

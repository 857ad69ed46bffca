#include "hyperpp/parallel/context/merge_attention.h"

#include <limits>

#include <ATen/ops/arange.h>
#include <ATen/ops/full.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

namespace hyperpp::parallel {
namespace {

using kernels::AttentionResult;

constexpr int64_t kQueries = 5, kKeys = 12;

struct Problem {
  at::Tensor q = at::randn({2, kQueries, 4, 8}), k = at::randn({2, kKeys, 2, 8}),
             v = at::randn({2, kKeys, 2, 8});

  // Attention over those keys of [first, end) that lie before 2 * query.
  AttentionResult Over(int64_t first, int64_t end) const {
    kernels::AttentionOptions options;
    options.scale = 3;  // scores far apart
    options.key_begin_BS = at::zeros({2, kQueries}, at::kInt);
    options.key_end_BS = (at::arange(kQueries, at::kInt) * 2 - first).repeat({2, 1});
    return kernels::AttentionForward(q, k.narrow(1, first, end - first),
                                     v.narrow(1, first, end - first), options);
  }
};

void ExpectNear(const AttentionResult& actual, const AttentionResult& expected) {
  EXPECT_TRUE(actual.out_BSND.allclose(expected.out_BSND, 1e-5, 1e-6));
  EXPECT_TRUE(actual.lse_BNS.allclose(expected.lse_BNS, 1e-6, 1e-6));
}

TEST(MergeAttentionTest, PartsInAnyOrderGiveTheWhole) {
  const Problem problem;
  const AttentionResult whole = problem.Over(0, kKeys);
  for (const auto& cuts : {std::vector<std::pair<int, int>>{{0, 3}, {3, 8}, {8, 12}},
                           std::vector<std::pair<int, int>>{{8, 12}, {0, 3}, {3, 8}}}) {
    const AttentionResult merged = AttentionOverNothing(problem.q);
    for (const auto& [first, end] : cuts) MergeAttention(merged, problem.Over(first, end));
    ExpectNear(merged, whole);
  }
}

TEST(MergeAttentionTest, FirstPartIsTakenToTheBit) {
  const Problem problem;
  const AttentionResult merged = AttentionOverNothing(problem.q), whole = problem.Over(0, kKeys);
  MergeAttention(merged, whole);
  EXPECT_TRUE(merged.out_BSND.equal(whole.out_BSND));
  EXPECT_TRUE(merged.lse_BNS.equal(whole.lse_BNS));
}

TEST(MergeAttentionTest, QueryWithoutKeysStaysEmpty) {
  const Problem problem;
  const AttentionResult merged = AttentionOverNothing(problem.q);
  MergeAttention(merged, problem.Over(0, 6));
  MergeAttention(merged, problem.Over(6, 12));
  EXPECT_EQ(merged.lse_BNS[0][0][0].item<float>(), -std::numeric_limits<float>::infinity());
  EXPECT_TRUE(merged.out_BSND.select(1, 0).eq(0).all().item<bool>());
}

TEST(MergeAttentionTest, BFloat16PartsAreMergedInFp32) {
  AttentionResult merged = AttentionOverNothing(at::zeros({1, 1, 1, 1}, at::kBFloat16));
  const AttentionResult one{at::full({1, 1, 1, 1}, 1, at::kBFloat16), at::zeros({1, 1, 1})};
  const AttentionResult other{at::full({1, 1, 1, 1}, 1.0078125, at::kBFloat16),
                              at::zeros({1, 1, 1})};
  MergeAttention(merged, one);
  MergeAttention(merged, other);
  EXPECT_EQ(merged.out_BSND.scalar_type(), at::kFloat);
  EXPECT_NEAR(merged.out_BSND.item<double>(), 1.00390625, 1e-6);
}

}  // namespace
}  // namespace hyperpp::parallel

#include "hyperpp/parallel/context/sequence_order.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/tensor.h>
#include <gtest/gtest.h>

namespace hyperpp::parallel {
namespace {

TEST(SequenceOrderTest, RankOrderIsWhatEachRankHolds) {
  for (const bool balanced : {false, true}) {
    const SequenceCut cut(2, balanced);
    const at::Tensor whole = at::arange(2 * 8 * 3, at::kInt).view({2, 8, 3});
    const at::Tensor parts = ToRankOrder(whole, cut);
    for (int rank = 0; rank < 2; ++rank) {
      const at::Tensor indices = at::tensor(cut.IndicesOf(rank, 8), at::kInt);
      EXPECT_TRUE(parts[rank].equal(whole.index_select(1, indices)));
    }
  }
}

TEST(SequenceOrderTest, SequenceOrderIsTheWayBack) {
  for (const bool balanced : {false, true}) {
    const SequenceCut cut(3, balanced);
    const at::Tensor whole = at::arange(2 * 12 * 5, at::kInt).view({2, 12, 5});
    EXPECT_TRUE(ToSequenceOrder(ToRankOrder(whole, cut), cut).equal(whole));
  }
}

}  // namespace
}  // namespace hyperpp::parallel

#include "hyperpp/comm/single_rank_group.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "hyperpp/core/error.h"

namespace hyperpp::comm {
namespace {

TEST(SingleRankGroup, ResultsAreTheInputs) {
  const std::unique_ptr<Group> group = MakeSingleRankGroup(3);
  EXPECT_EQ(group->ranks(), std::vector<int>{3});
  EXPECT_EQ(group->rank(), 0);
  const at::Tensor in = at::arange(6, at::kFloat).view({3, 2});
  for (int operation = 0; operation < 3; ++operation) {
    const at::Tensor out = at::zeros({3, 2});
    if (operation == 0) group->AllGather(out.view({1, 6}), in.view({6}))->Wait();
    if (operation == 1) group->ReduceScatter(out, in)->Wait();
    if (operation == 2) group->AllToAll(out, in, {3}, {3})->Wait();
    EXPECT_TRUE(at::equal(out, in));
  }
  group->AllReduce(in)->Wait();
  group->Broadcast(in, 0)->Wait();
  EXPECT_TRUE(at::equal(in, at::arange(6, at::kFloat).view({3, 2})));
  EXPECT_EQ(group->traffic().num_calls, 0);
}

TEST(SingleRankGroup, ChecksItsArgumentsLikeTheOthers) {
  const std::unique_ptr<Group> group = MakeSingleRankGroup(0);
  EXPECT_THROW(group->AllReduce(at::ones({4, 4}).t()), InternalError);
  EXPECT_THROW(group->AllGather(at::ones({4}), at::ones({3})), InternalError);
  EXPECT_THROW(group->AllToAll(at::ones({4}), at::ones({4}), {4}, {3}), InternalError);
  EXPECT_THROW(group->Send(at::ones({4}), 0), InternalError);
}

}  // namespace
}  // namespace hyperpp::comm

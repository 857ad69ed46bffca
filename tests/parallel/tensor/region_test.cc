#include "hyperpp/parallel/tensor/region.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include "tests/support/ranks.h"

namespace hyperpp::parallel {
namespace {

using models::Activation;
using models::Remake;

constexpr int64_t kTokens = 8, kHidden = 3;

const MeshLayout kTwoRanks({1, 1, 1, 1, 2}), kFourRanks({1, 1, 1, 1, 4});

// The same values on every rank, another set for each `seed`.
at::Tensor Values(int64_t seed) {
  return at::sin(at::arange(kTokens * kHidden, at::kFloat) * 0.7 + 10.0 * seed)
      .view({kTokens, kHidden});
}

at::Tensor SumOverRanks(int num_ranks) {
  at::Tensor sum = at::zeros({kTokens, kHidden});
  for (int rank = 0; rank < num_ranks; ++rank) sum += Values(rank);
  return sum;
}

// Rows of rank `rank` between regions.
at::Tensor Rows(const at::Tensor& whole, comm::Group& group, bool sequence_parallel) {
  if (!sequence_parallel) return whole;
  const int64_t rows = kTokens / group.size();
  return whole.narrow(0, group.rank() * rows, rows);
}

void ExpectNear(const at::Tensor& value, const at::Tensor& expected) {
  EXPECT_TRUE(at::allclose(value, expected, 1e-6, 1e-6)) << value << expected;
}

void CheckEnter(comm::World& world, bool sequence_parallel) {
  comm::Group& group = world.Along({Axis::kTensor});
  const auto region = MakeTensorRegion(group, sequence_parallel);
  const at::Tensor x = Rows(Values(9), group, sequence_parallel).clone().requires_grad_(true);
  const at::Tensor entered = region->Enter(Activation(x), 1).value;
  EXPECT_TRUE(at::equal(entered.detach(), Values(9)));
  torch::autograd::backward({entered}, {Values(group.rank())});
  ExpectNear(x.grad(), Rows(SumOverRanks(group.size()), group, sequence_parallel));
}

void CheckLeave(comm::World& world, bool sequence_parallel) {
  comm::Group& group = world.Along({Axis::kTensor});
  const auto region = MakeTensorRegion(group, sequence_parallel);
  const at::Tensor leaf = Values(group.rank()).requires_grad_(true);
  const at::Tensor left = region->Leave(leaf * 1.0);
  ExpectNear(left.detach(), Rows(SumOverRanks(group.size()), group, sequence_parallel));
  torch::autograd::backward({left}, {Rows(Values(5), group, sequence_parallel).clone()});
  EXPECT_TRUE(at::equal(leaf.grad(), Values(5)));
}

TEST(TensorRegionTest, EnterGivesAllTokensAndSumsGradients) {
  for (const MeshLayout& layout : {kTwoRanks, kFourRanks}) {
    test::RunRanks(layout, [](comm::World& world) {
      CheckEnter(world, false);
      CheckEnter(world, true);
    });
  }
}

TEST(TensorRegionTest, LeaveSumsTermsAndGivesAllTokensTheirGradient) {
  for (const MeshLayout& layout : {kTwoRanks, kFourRanks}) {
    test::RunRanks(layout, [](comm::World& world) {
      CheckLeave(world, false);
      CheckLeave(world, true);
    });
  }
}

TEST(TensorRegionTest, GradientHandedToOthersAsWellIsNotChanged) {
  test::RunRanks(kTwoRanks, [](comm::World& world) {
    const auto region = MakeTensorRegion(world.Along({Axis::kTensor}), false);
    const at::Tensor x = Values(1).requires_grad_(true);
    const at::Tensor gradient = Values(2);
    torch::autograd::backward({region->Enter(Activation(x), 1).value}, {gradient});
    EXPECT_TRUE(at::equal(gradient, Values(2)));
  });
}

// Rank 1 takes no part in the exchange before rank 0 is at what it has put off.
TEST(TensorRegionTest, WorkThatWasPutOffRunsWhileGradientsAreExchanged) {
  test::RunRanks(kTwoRanks, [](comm::World& world) {
    comm::Group& group = world.Along({Axis::kTensor});
    for (const bool sequence_parallel : {false, true}) {
      const auto region = MakeTensorRegion(group, sequence_parallel);
      const at::Tensor x = Rows(Values(1), group, sequence_parallel).clone().requires_grad_(true);
      const Activation entered = region->Enter(Activation(x), 1);
      const at::Tensor word = at::ones({1});
      bool ran = false;
      entered.deferred->Add([&] {
        ran = true;
        if (world.rank() == 0) world.Control().Send(word, 1)->Wait();
      });
      if (world.rank() == 1) world.Control().Receive(word, 0)->Wait();
      torch::autograd::backward({entered.value}, {Values(2)});
      EXPECT_TRUE(ran);
      ExpectNear(x.grad(), Rows(2 * Values(2), group, sequence_parallel));
    }
  });
}

TEST(TensorRegionTest, RemadeValueIsGatheredOnceForAllReaders) {
  test::RunRanks(kTwoRanks, [](comm::World& world) {
    comm::Group& group = world.Along({Axis::kTensor});
    for (const bool sequence_parallel : {false, true}) {
      const auto region = MakeTensorRegion(group, sequence_parallel);
      int made = 0;
      const at::Tensor rows = Rows(Values(3), group, sequence_parallel);
      const auto make = [&] {
        ++made;
        return rows.clone();
      };
      const Activation entered =
          region->Enter(Activation(rows, std::make_shared<Remake>(make, 1)), 3);
      const auto before = group.traffic().num_calls;
      for (const auto& kept : {entered.Keep(), entered.Keep(), entered.Keep()})
        EXPECT_TRUE(at::equal(kept(), Values(3)));
      EXPECT_EQ(made, 1);
      EXPECT_EQ(group.traffic().num_calls - before, sequence_parallel ? 1 : 0);
    }
  });
}

TEST(TensorRegionTest, OneRankAddsBiasesAndPartsAreStackedInOrder) {
  test::RunRanks(kFourRanks, [](comm::World& world) {
    const auto region = MakeTensorRegion(world.Along({Axis::kTensor}), true);
    EXPECT_EQ(region->AddsBias(), world.rank() == 0);
    EXPECT_EQ(region->NumHiddenRows(kTokens), 2);
    const at::Tensor stacked = region->GatherParts(Values(world.rank()).to(at::kDouble));
    for (int rank = 0; rank < 4; ++rank)
      EXPECT_TRUE(at::equal(stacked[rank], Values(rank).to(at::kDouble)));
  });
}

TEST(TensorRegionTest, MicrobatchWithoutTokensPasses) {
  test::RunRanks(kTwoRanks, [](comm::World& world) {
    for (const bool sequence_parallel : {false, true}) {
      const auto region = MakeTensorRegion(world.Along({Axis::kTensor}), sequence_parallel);
      const at::Tensor none = at::zeros({0, kHidden});
      EXPECT_EQ(region->Leave(region->Enter(Activation(none), 1).value).sizes(), none.sizes());
    }
  });
}

}  // namespace
}  // namespace hyperpp::parallel

#include "hyperpp/parallel/replicate/gradient_reducer.h"

#include <gtest/gtest.h>

#include "hyperpp/core/error.h"
#include "tests/support/ranks.h"

namespace hyperpp::parallel {
namespace {

using models::Weight;
using models::WeightUse;

// Four weights of 8 elements; in buckets of 64 bytes that makes two buckets.
struct FourWeights {
  FourWeights() {
    for (int i = 0; i < 4; ++i)
      weights.push_back(std::make_unique<Weight>(std::vector<int64_t>{8}, WeightUse::kGain));
  }
  models::ParameterStore& Store() {
    std::vector<Weight*> pointers;
    for (const auto& weight : weights) pointers.push_back(weight.get());
    store = std::make_unique<models::ParameterStore>(pointers, at::kCPU, at::kFloat, true);
    store->ZeroGradients();
    return *store;
  }
  void Add(int weight, double value) const {
    at::Tensor(weights[weight]->gradient()).add_(value);
    weights[weight]->GradientAdded();
  }
  double Value(int weight) const { return weights[weight]->gradient()[0].item<double>(); }

  std::vector<std::unique_ptr<Weight>> weights;
  std::unique_ptr<models::ParameterStore> store;
};

constexpr int64_t kBucketBytes = 64;

TEST(GradientReducerTest, SumsOverReplicasOnceAfterAllMicrobatches) {
  test::RunRanks(2, [](comm::World& world) {
    FourWeights model;
    GradientReducer reducer(model.Store(), world.Along({Axis::kReplicate}), kBucketBytes);
    EXPECT_EQ(reducer.num_buckets(), 2U);
    reducer.Begin(3);
    for (int microbatch = 0; microbatch < 3; ++microbatch) {
      for (int i = 3; i >= 0; --i) model.Add(i, i + 10.0 * world.rank());
    }
    reducer.Finish();
    for (int i = 0; i < 4; ++i) EXPECT_EQ(model.Value(i), 3 * (2 * i + 10));
  });
}

TEST(GradientReducerTest, ReplicasMayFinishTheirLayersInAnyOrder) {
  test::RunRanks(2, [](comm::World& world) {
    FourWeights model;
    GradientReducer reducer(model.Store(), world.Along({Axis::kReplicate}), kBucketBytes);
    reducer.Begin(1);
    for (int i = 0; i < 4; ++i) model.Add(world.rank() == 0 ? i : 3 - i, 1);
    reducer.Finish();
    for (int i = 0; i < 4; ++i) EXPECT_EQ(model.Value(i), 2);
  });
}

TEST(GradientReducerTest, RankWithoutAnyGradientStillTakesPart) {
  test::RunRanks(2, [](comm::World& world) {
    FourWeights model;
    GradientReducer reducer(model.Store(), world.Along({Axis::kReplicate}), kBucketBytes);
    reducer.Begin(1);
    for (int i = 0; world.rank() == 0 && i < 4; ++i) model.Add(i, 7);
    reducer.Finish();
    for (int i = 0; i < 4; ++i) EXPECT_EQ(model.Value(i), 7);
  });
}

TEST(GradientReducerTest, TiedWeightIsReducedAfterItsLastUse) {
  test::RunRanks(2, [](comm::World& world) {
    FourWeights model;
    model.weights[0]->set_num_uses(2);
    GradientReducer reducer(model.Store(), world.Along({Axis::kReplicate}), kBucketBytes);
    reducer.Begin(1);
    model.Add(0, 1);  // the head reports first
    for (int i = 3; i >= 0; --i) model.Add(i, 1);
    reducer.Finish();
    EXPECT_EQ(model.Value(0), 4);
  });
}

TEST(GradientReducerTest, FrozenWeightsAreLeftOut) {
  test::RunRanks(2, [](comm::World& world) {
    FourWeights model;
    for (int i : {2, 3}) model.weights[i]->set_trainable(false);
    GradientReducer reducer(model.Store(), world.Along({Axis::kReplicate}), kBucketBytes);
    const auto before = world.Along({Axis::kReplicate}).traffic().num_calls;
    reducer.Begin(1);
    for (int i : {1, 0}) model.Add(i, 1);
    reducer.Finish();
    EXPECT_EQ(model.Value(0), 2);
    EXPECT_EQ(world.Along({Axis::kReplicate}).traffic().num_calls - before, 1);
  });
}

TEST(GradientReducerTest, GradientAddedAfterItsReductionIsReported) {
  test::RunRanks(2, [](comm::World& world) {
    FourWeights model;
    GradientReducer reducer(model.Store(), world.Along({Axis::kReplicate}), kBucketBytes);
    reducer.Begin(1);
    model.Add(3, 1);
    EXPECT_THROW(model.Add(3, 1), InternalError);
    reducer.Finish();
  });
}

}  // namespace
}  // namespace hyperpp::parallel

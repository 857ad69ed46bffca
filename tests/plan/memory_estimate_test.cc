#include "hyperpp/plan/memory_estimate.h"

#include <gtest/gtest.h>

#include "tests/plan/tiny_model.h"

namespace hyperpp::plan {
namespace {

constexpr int64_t kAll = 4 * kLayerParameters + kEmbedding + 32;

TEST(MemoryEstimateTest, OneRankHoldsWeightsGradientsAndMoments) {
  const MemoryEstimate adamw = PlanOf({}, 1).memory[0];
  EXPECT_EQ(adamw.weights_bytes, 4 * kAll);
  EXPECT_EQ(adamw.gradients_bytes, 4 * kAll);
  EXPECT_EQ(adamw.optimizer_bytes, 8 * kAll);
  EXPECT_EQ(adamw.compute_weights_bytes, 0);
  EXPECT_EQ(PlanOf({"optimizer.type=sgd"}, 1).memory[0].optimizer_bytes, 0);
  EXPECT_EQ(PlanOf({"optimizer={type: sgd, lr: 1, momentum: 0.9}"}, 1).memory[0].optimizer_bytes,
            4 * kAll);
  EXPECT_EQ(PlanOf({"precision.compute_dtype=bfloat16"}, 1).memory[0].compute_weights_bytes,
            2 * kAll);
}

TEST(MemoryEstimateTest, ShardsDivideEverythingAndGatherSomeLayers) {
  const MemoryEstimate memory = PlanOf({"accelerator.dp_shard_size=2"}, 2).memory[0];
  EXPECT_EQ(memory.weights_bytes, 4 * kAll / 2);
  EXPECT_EQ(memory.optimizer_bytes, 8 * kAll / 2);
  EXPECT_EQ(memory.compute_weights_bytes, 4 * 2 * kLayerParameters);
}

TEST(MemoryEstimateTest, TensorParallelSplitsMatricesOnly) {
  const MemoryEstimate memory = PlanOf({"accelerator.tp_size=2"}, 2).memory[0];
  EXPECT_EQ(memory.weights_bytes, 4 * ((4 * kLayerMatrix + kEmbedding) / 2 + 9 * 32));
}

TEST(MemoryEstimateTest, ExpertsAreDividedByTheirOwnDegree) {
  const int64_t experts = 4 * 3 * 8 * 24 * 32;
  const int64_t rest = kAll - 4 * 3 * 80 * 32;
  EXPECT_EQ(
      PlanOf({"accelerator={ep_size: 2, cp_size: 2}"}, 2, ExpertModel()).memory[0].weights_bytes,
      4 * (rest + experts / 2));
  EXPECT_EQ(PlanOf({"accelerator={ep_size: 2, dp_shard_size: 4}"}, 4, ExpertModel())
                .memory[0]
                .weights_bytes,
            4 * (rest / 4 + experts / 4));
}

TEST(MemoryEstimateTest, TiedEmbeddingCountsOnceWhereOneRankHasBothUses) {
  EXPECT_EQ(PlanOf({}, 1).memory[0].weights_bytes, 4 * kAll);
  const auto plan = PlanOf(Pipelined(2), 2);
  EXPECT_EQ(plan.memory[0].weights_bytes + plan.memory[1].weights_bytes, 4 * (kAll + kEmbedding));
}

TEST(MemoryEstimateTest, SchedulesBoundTheMicrobatchesInFlight) {
  using S = config::ScheduleType;
  EXPECT_EQ(InFlightPasses(S::k1F1B, 4, 0, 1, 8), 4);
  EXPECT_EQ(InFlightPasses(S::k1F1B, 4, 3, 1, 8), 1);
  EXPECT_EQ(InFlightPasses(S::k1F1B, 4, 0, 1, 2), 2);
  EXPECT_EQ(InFlightPasses(S::kGPipe, 4, 3, 1, 8), 8);
  EXPECT_EQ(InFlightPasses(S::kInterleaved1F1B, 4, 0, 2, 8), 11);
  EXPECT_EQ(InFlightPasses(S::kGPipe, 1, 0, 1, 8), 1) << "no pipeline";
}

TEST(MemoryEstimateTest, RecomputationAndSmallerMicrobatchesKeepFewerActivations) {
  const auto bytes = [](const std::string& setting) {
    return PlanOf({setting}, 1).memory[0].activations_bytes;
  };
  const int64_t all = bytes("training.micro_batch_size=8");
  EXPECT_EQ(all, 4 * 8 * 32 * 4 * (4 * 32 + (4 + 2) * 32 + 3 * 80));
  EXPECT_EQ(bytes("training.micro_batch_size=1"), all / 8);
  EXPECT_LT(bytes("activation.recompute=full"), bytes("activation.recompute=selective"));
  EXPECT_LT(bytes("activation.recompute=selective"), all / 8);
}

}  // namespace
}  // namespace hyperpp::plan

#include "hyperpp/plan/memory_estimate.h"

#include <gtest/gtest.h>

#include "hyperpp/plan/pass_memory.h"
#include "hyperpp/plan/planned_schedule.h"
#include "tests/plan/tiny_model.h"

namespace hyperpp::plan {
namespace {

constexpr int64_t kAll = 4 * kLayerParameters + kEmbedding + 32;
constexpr int64_t kNorm = 64;  // padded for two shards
constexpr int64_t kAllPadded = kAll - 32 + kNorm;

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
  EXPECT_EQ(memory.weights_bytes, 4 * kAllPadded / 2);
  EXPECT_EQ(memory.optimizer_bytes, 8 * kAll / 2);
  EXPECT_EQ(memory.compute_weights_bytes, 4 * (2 * kLayerParameters + kNorm + kEmbedding));
  const int64_t whole = 4 * (3 * kLayerParameters + kNorm + kEmbedding);
  EXPECT_EQ(memory.communication_bytes, whole + whole / 2 + 4 * (kEmbedding + kLayerParameters))
      << "whole gradients, the parts that came back, and copies under way";
  EXPECT_EQ(PlanOf({"accelerator.dp_shard_size=2", "fsdp.reshard_after_forward=false"}, 2)
                .memory[0]
                .compute_weights_bytes,
            4 * kAllPadded);
}

TEST(MemoryEstimateTest, PipelinesKeepWholeGradientsOfAllMicrobatches) {
  const auto plan = PlanOf(Pipelined(2, {"accelerator.dp_shard_size=2"}), 4);
  const int64_t whole = 4 * (2 * kLayerParameters + kEmbedding);
  const int64_t messages = 4 * 32 * 32;
  EXPECT_GE(plan.memory[0].communication_bytes, whole + whole / 2 + messages);
  EXPECT_LE(plan.memory[0].communication_bytes, whole + whole / 2 + 3 * messages);
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
  constexpr int64_t kPadding = 4 * 64 + 96;  // of the rest of each layer and of the norm, to 128
  EXPECT_EQ(PlanOf({"accelerator={ep_size: 2, dp_shard_size: 4}"}, 4, ExpertModel())
                .memory[0]
                .weights_bytes,
            4 * ((rest + kPadding) / 4 + experts / 4));
}

TEST(MemoryEstimateTest, TiedEmbeddingCountsOnceWhereOneRankHasBothUses) {
  EXPECT_EQ(PlanOf({}, 1).memory[0].weights_bytes, 4 * kAll);
  const auto plan = PlanOf(Pipelined(2), 2);
  EXPECT_EQ(plan.memory[0].weights_bytes + plan.memory[1].weights_bytes, 4 * (kAll + kEmbedding));
}

TEST(MemoryEstimateTest, SchedulesBoundTheMicrobatchesInFlight) {
  const TrainPlan plan = PlanOf(Pipelined(4), 4);
  EXPECT_EQ(InFlightPasses(plan, 0), 4);
  EXPECT_EQ(InFlightPasses(plan, 3), 1);
  EXPECT_EQ(InFlightPasses(PlanOf(Pipelined(4, {"pipeline.pp_microbatch_size=4"}), 4), 0), 2);
  EXPECT_EQ(InFlightPasses(PlanOf(Pipelined(4, {"pipeline.schedule=gpipe"}), 4), 3), 8);
  EXPECT_EQ(InFlightPasses(PlanOf(Pipelined(4, {"pipeline.schedule=interleaved1f1b",
                                                "pipeline.split=[[1, 1, 1, 1], [1, 1, 1, 1]]"}),
                                  4, DenseModel(8)),
                           0),
            11);
  EXPECT_EQ(InFlightPasses(PlanOf({}, 1), 0), 1) << "no pipeline";
}

// 5 microbatches on 4 ranks are one round of 5, which warms up longer than rounds of 4.
TEST(MemoryEstimateTest, ActivationsFollowTheScheduleForEveryNumberOfMicrobatches) {
  const TinyModel model = DenseModel(8);
  const auto config =
      TinyConfig(Pipelined(4, {"training.global_batch_size=5", "pipeline.schedule=interleaved1f1b",
                               "pipeline.split=[[1, 1, 1, 1], [1, 1, 1, 1]]"}));
  const TrainPlan plan = MakePlan(config, model.outline, model.facts, 4, Purpose::kInspection);
  const PlannedSchedule planned = PlanSchedule(plan);
  EXPECT_EQ(planned.peak_in_flight[3], 6);
  const int64_t pass_bytes = MemoryOfPass(config, model.facts, plan, plan.stages[1]).kept;
  for (int rank = 0; rank < 3; ++rank) {
    EXPECT_EQ(InFlightPasses(plan, rank), planned.peak_in_flight[rank]);
    EXPECT_EQ(plan.memory[rank].activations_bytes, planned.peak_in_flight[rank] * pass_bytes);
  }
}

TEST(MemoryEstimateTest, RecomputationAndSmallerMicrobatchesKeepFewerActivations) {
  const auto bytes = [](const std::string& setting) {
    return PlanOf({setting}, 1).memory[0].activations_bytes;
  };
  const int64_t all = bytes("training.micro_batch_size=8");
  EXPECT_EQ(bytes("training.micro_batch_size=1"), all / 8);
  EXPECT_LT(bytes("activation.recompute=full"), bytes("activation.recompute=selective"));
  EXPECT_LT(bytes("activation.recompute=selective"), all / 8);
}

TEST(MemoryEstimateTest, TotalIsTheSumOfItsParts) {
  const MemoryEstimate memory{1, 2, 4, 8, 16, 32, 64};
  EXPECT_EQ(memory.TotalBytes(), 127);
}

}  // namespace
}  // namespace hyperpp::plan

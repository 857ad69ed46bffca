// tests/trainer/planned_traffic_test.cc compares with what runs send; here are rules and cases that
// would take more ranks.
#include "hyperpp/plan/traffic_estimate.h"

#include <gtest/gtest.h>

#include "tests/plan/tiny_model.h"

namespace hyperpp::plan {
namespace {

constexpr int64_t kHidden = 4 * 32 * 32;  // bytes of a sequence's hidden states
constexpr int64_t kAll = 4 * kLayerParameters + kEmbedding + 32;

TEST(TrafficEstimateTest, OneRankSendsNothing) {
  const TrafficEstimate traffic = PlanOf({}, 1).traffic.at(0);
  EXPECT_EQ(traffic.pipeline_bytes + traffic.replicate_bytes + traffic.shard_bytes +
                traffic.context_bytes + traffic.tensor_bytes,
            0);
}

TEST(TrafficEstimateTest, StagesSendToEachNeighbour) {
  const auto plan = PlanOf(Pipelined(4), 4, DenseModel(4, /*tied=*/false));
  EXPECT_EQ(plan.traffic[0].pipeline_bytes, 8 * kHidden);
  EXPECT_EQ(plan.traffic[1].pipeline_bytes, 8 * 2 * kHidden);
  const auto tied = PlanOf(Pipelined(4), 4);
  EXPECT_EQ(tied.traffic[0].pipeline_bytes, 8 * kHidden + 4 * kEmbedding);
  EXPECT_EQ(tied.traffic[1].pipeline_bytes, 8 * 2 * kHidden);
  EXPECT_EQ(tied.traffic[3].pipeline_bytes, 8 * kHidden + 4 * kEmbedding);
}

TEST(TrafficEstimateTest, ReplicasSumWhatARankOwns) {
  EXPECT_EQ(PlanOf({"accelerator.dp_replicate_size=2"}, 2).traffic[0].replicate_bytes, 4 * kAll);
  EXPECT_EQ(PlanOf({"accelerator={dp_replicate_size: 2, dp_shard_size: 2}"}, 4)
                .traffic[0]
                .replicate_bytes,
            2 * (kAll + 32))
      << "the norm is padded for two shards";
}

TEST(TrafficEstimateTest, ShardsAreGatheredForEachUseAndReducedOnce) {
  const int64_t layers = 4 * kLayerParameters, passes = 4;
  EXPECT_EQ(PlanOf({"accelerator.dp_shard_size=2"}, 2, DenseModel(4, false)).traffic[0].shard_bytes,
            4 * passes * (3 * layers + 3 * 64 + 4 * kEmbedding));
}

TEST(TrafficEstimateTest, ContextMethodsMoveKeysAndValues) {
  const auto bytes = [](const std::string& method) {
    return PlanOf({"accelerator.cp_size=4", "context_parallel.method=" + method}, 4)
               .traffic[0]
               .context_bytes -
           4 * kAll;
  };
  const int64_t passes = 8 * 4, kv = 2 * 8 * 2 * 16;  // 8 tokens a rank
  EXPECT_EQ(bytes("all_gather"), passes * 4 * kv * 3 * 4);
  EXPECT_EQ(bytes("ring"), passes * 3 * kv * 3 * 4);
}

}  // namespace
}  // namespace hyperpp::plan

// The plan's estimate of what a step sends against the counters of the groups.

#include <gtest/gtest.h>

#include "tests/support/ranks.h"
#include "tests/trainer/small_run.h"

namespace hyperpp::trainer {
namespace {

struct Layout {
  const char* name;
  std::vector<std::string> settings;
};

int64_t AllBytes(const comm::Traffic& traffic) {
  return traffic.all_reduce_bytes + traffic.all_gather_bytes + traffic.reduce_scatter_bytes +
         traffic.all_to_all_bytes + traffic.broadcast_bytes + traffic.sent_bytes;
}

// Of all groups that a run makes along one axis.
int64_t SentAlong(comm::World& world, Axis axis, const std::vector<std::string>& purposes) {
  int64_t bytes = AllBytes(world.Along({axis}).traffic());
  for (const std::string& purpose : purposes)
    bytes += AllBytes(world.Along({axis}, purpose).traffic());
  return bytes;
}

class PlannedTrafficTest : public testing::TestWithParam<Layout> {};

TEST_P(PlannedTrafficTest, IsWhatGroupsCount) {
  const RunInputs inputs = SmallRunInputs(GetParam().settings);
  test::RunRanks(inputs.plan.mesh, [&](comm::World& world) {
    SmallRun run(inputs, world);
    const auto sent = [&] {
      return plan::TrafficEstimate{
          .pipeline_bytes = SentAlong(world, Axis::kPipeline, {}),
          .replicate_bytes = SentAlong(world, Axis::kReplicate, {}),
          .shard_bytes = SentAlong(world, Axis::kShard, {"gather weights", "reduce gradients"}),
          .context_bytes = 0,
          .tensor_bytes = SentAlong(world, Axis::kTensor, {})};
    };
    run.Step(1);
    const plan::TrafficEstimate before = sent();
    run.Step(2);
    const plan::TrafficEstimate after = sent();
    const int stage = world.layout().Coordinate(world.rank(), Axis::kPipeline);
    const plan::TrafficEstimate& estimate = inputs.plan.traffic[static_cast<std::size_t>(stage)];
    EXPECT_EQ(after.pipeline_bytes - before.pipeline_bytes, estimate.pipeline_bytes);
    EXPECT_EQ(after.replicate_bytes - before.replicate_bytes, estimate.replicate_bytes);
    EXPECT_EQ(after.shard_bytes - before.shard_bytes, estimate.shard_bytes);
    EXPECT_EQ(after.tensor_bytes - before.tensor_bytes, estimate.tensor_bytes);
  });
}

constexpr const char* kTied = "model.config.tie_word_embeddings=true";

INSTANTIATE_TEST_SUITE_P(
    Layouts, PlannedTrafficTest,
    testing::Values(
        Layout{"OneFOneB", TwoStages()}, Layout{"OneFOneBTied", TwoStages({kTied})},
        Layout{"Interleaved",
               TwoStages({"pipeline.schedule=interleaved1f1b", "pipeline.split=[[1, 1], [1, 1]]"})},
        Layout{"Replicas", {"accelerator.dp_replicate_size=2"}},
        Layout{"Shards", {"accelerator.dp_shard_size=2"}},
        Layout{"ShardsTied", {"accelerator.dp_shard_size=2", kTied}},
        Layout{"ShardsKept", {"accelerator.dp_shard_size=2", "fsdp.reshard_after_forward=false"}},
        Layout{"PipelinedShards", TwoStages({"accelerator.dp_shard_size=2"})},
        Layout{"HybridBFloat16",
               {"accelerator.dp_shard_size=2", "accelerator.dp_replicate_size=2",
                "precision.compute_dtype=bfloat16"}},
        Layout{"Tensor", {"accelerator.tp_size=2"}},
        Layout{"TensorSelective", {"accelerator.tp_size=2", "activation.recompute=selective"}},
        Layout{"TensorWholeFull",
               {"accelerator.tp_size=2", "accelerator.sequence_parallel=false",
                "activation.recompute=full"}}),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace hyperpp::trainer

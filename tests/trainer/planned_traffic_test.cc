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

int64_t Sent(comm::World& world, const std::vector<Axis>& axes) {
  return AllBytes(world.Along(axes).traffic());
}

int64_t Sent(comm::World& world, Axis axis, const std::string& purpose) {
  return AllBytes(world.Along({axis}, purpose).traffic());
}

// What the groups of a run have counted so far.
plan::TrafficEstimate SentSoFar(comm::World& world) {
  // Gradients of replicas are summed over both axes; with one replica that is the group along cp.
  const int64_t gradients = Sent(world, {Axis::kReplicate, Axis::kContext});
  const bool in_context = world.layout().Degree(Axis::kContext) > 1;
  return {.pipeline_bytes = Sent(world, {Axis::kPipeline}),
          .replicate_bytes = in_context ? 0 : gradients,
          .shard_bytes = Sent(world, Axis::kShard, "gather weights") +
                         Sent(world, Axis::kShard, "reduce gradients"),
          .context_bytes = in_context ? gradients : 0,
          .tensor_bytes = Sent(world, {Axis::kTensor})};
}

class PlannedTrafficTest : public testing::TestWithParam<Layout> {};

TEST_P(PlannedTrafficTest, IsWhatGroupsCount) {
  const RunInputs inputs = SmallRunInputs(GetParam().settings);
  test::RunRanks(inputs.plan.mesh, [&](comm::World& world) {
    SmallRun run(inputs, world);
    run.Step(1);
    const plan::TrafficEstimate before = SentSoFar(world);
    run.Step(2);
    const plan::TrafficEstimate after = SentSoFar(world);
    const int stage = world.layout().Coordinate(world.rank(), Axis::kPipeline);
    const plan::TrafficEstimate& estimate = inputs.plan.traffic[static_cast<std::size_t>(stage)];
    EXPECT_EQ(after.pipeline_bytes - before.pipeline_bytes, estimate.pipeline_bytes);
    EXPECT_EQ(after.replicate_bytes - before.replicate_bytes, estimate.replicate_bytes);
    EXPECT_EQ(after.shard_bytes - before.shard_bytes, estimate.shard_bytes);
    EXPECT_EQ(after.context_bytes - before.context_bytes, estimate.context_bytes);
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
        Layout{"Context", {"accelerator.cp_size=2"}},
        Layout{
            "ContextRingFull",
            {"accelerator.cp_size=2", "context_parallel.method=ring", "activation.recompute=full"}},
        Layout{"ContextAllToAll", {"accelerator.cp_size=2", "context_parallel.method=all_to_all"}},
        Layout{"Tensor", {"accelerator.tp_size=2"}},
        Layout{"TensorSelective", {"accelerator.tp_size=2", "activation.recompute=selective"}},
        Layout{"TensorWholeFull",
               {"accelerator.tp_size=2", "accelerator.sequence_parallel=false",
                "activation.recompute=full"}}),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace hyperpp::trainer

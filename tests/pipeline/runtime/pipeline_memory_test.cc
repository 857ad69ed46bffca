// What a rank of a pipeline allocates, counted in bytes of tensors.
#include <algorithm>

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "hyperpp/models/decoder.h"
#include "hyperpp/models/parameter_store.h"
#include "tests/models/tiny_decoder.h"
#include "tests/pipeline/runtime/small_pipeline.h"
#include "tests/support/counting_allocator.h"
#include "tests/support/ranks.h"

namespace hyperpp::pipeline {
namespace {

using test::CountingAllocator;

int64_t BytesBelow(const torch::nn::Module& module) {
  int64_t num_bytes = 0;
  for (const auto& item : module.named_parameters())
    num_bytes += static_cast<int64_t>(item.value().nbytes());
  for (const auto& item : module.named_buffers())
    num_bytes += static_cast<int64_t>(item.value().nbytes());
  return num_bytes;
}

// Small tensors of communication: less than any layer's parameters.
constexpr int64_t kSlack = 200;

TEST(PipelineMemoryTest, RankAllocatesItsOwnParametersAlone) {
  test::RunRanks(Stages(4), [](comm::World& world) {
    auto& memory = CountingAllocator::Install();
    world.Along({Axis::kPipeline});  // makes its communicator before we count
    const SmallModelOptions options{.num_layers = 10, .vocab_size = 50};
    for (const char* schedule : {"1f1b", "interleaved1f1b"}) {
      PipelineOptions split{.schedule = schedule};
      if (std::string(schedule) != "1f1b") split.split = {{1, 1, 1, 1}, {1, 2, 2, 1}};
      const int64_t before = memory.allocated_bytes();
      AutoPipeline pipeline(world, split);
      pipeline.build(std::make_shared<SmallModel>(options), nullptr, 4);
      EXPECT_LE(memory.allocated_bytes() - before, kSlack);
      meta::Materialise(pipeline, at::kCPU);
      int64_t own = 0;
      for (const auto& part : pipeline.parts()) own += BytesBelow(*part);
      if (pipeline.parts().size() == 2)  // every stage's table is one object
        own -= kMaxLength * kHidden * 4;
      EXPECT_GE(memory.allocated_bytes() - before, own);
      EXPECT_LE(memory.allocated_bytes() - before, own + kSlack);
    }
  });
}

TEST(PipelineMemoryTest, RankOfADecoderAllocatesItsOwnParametersAlone) {
  for (const bool tied : {false, true}) {
    test::RunRanks(Stages(2), [&](comm::World& world) {
      auto& memory = CountingAllocator::Install();
      world.Along({Axis::kPipeline});
      models::DecoderSpec spec = models::TinySpec(tied);
      spec.num_layers = 4;
      spec.layer_windows = {0, 3, 0, 3};
      const int64_t before = memory.allocated_bytes();
      auto decoder = std::make_shared<models::Decoder>(spec);
      AutoPipeline pipeline(world, {});
      pipeline.build(decoder, nullptr, 2);
      auto weights = models::CollectWeights(*decoder);
      std::erase_if(weights, [&](const auto* weight) { return !pipeline.Holds(weight->fqn()); });
      int64_t own = 0;
      for (const models::Weight* weight : weights)
        own += (weight->parameter().numel() + 31) / 32 * 32 * 4;  // starts on 32 elements
      const models::ParameterStore store(weights, at::kCPU, at::kFloat, /*with_gradients=*/true);
      EXPECT_GE(memory.allocated_bytes() - before, 2 * own);
      EXPECT_LE(memory.allocated_bytes() - before, 2 * own + kSlack);
    });
  }
}

TEST(PipelineMemoryTest, MemoryIsFlatOverTwoHundredSteps) {
  const auto train = [](comm::World& world) {
    auto& memory = CountingAllocator::Install();
    for (const std::string& schedule : kScheduleNames) {
      for (const Transport transport : {Transport::kOverlapped, Transport::kMultiStream}) {
        SCOPED_TRACE(schedule + ", " + NameOf(transport));
        SmallPipeline small(world, OptionsOf(schedule, 2, transport), {}, 2);
        const auto batch = SmallBatch(2);
        int64_t live = 0, peak = 0;
        for (int step = 1; step <= 200; ++step) {
          small.pipeline.Step(batch);
          small.Descend(0.1);
          if (step == 5) {
            live = memory.live_bytes();
            peak = memory.peak_bytes();
            memory.ResetPeak();
          }
        }
        EXPECT_EQ(memory.live_bytes(), live);
        // The peak moves a little with the time at which sends are complete.
        EXPECT_LE(memory.peak_bytes(), peak + peak / 10);
      }
    }
  };
  test::RankOptions options;
  options.time_limit = std::chrono::seconds(150);
  test::RunRanks(Stages(2), train, options);
}

// Largest memory of activations during a step, above what is alive between steps.
int64_t PeakOfStep(CountingAllocator& memory, comm::World& world, const std::string& schedule,
                   int num_microbatches) {
  SmallPipeline small(world, OptionsOf(schedule, world.size(), Transport::kBlocking),
                      {.num_layers = 8}, num_microbatches);
  const auto batch = SmallBatch(num_microbatches);
  small.pipeline.Step(batch);  // gradients are there now
  const int64_t live = memory.live_bytes();
  memory.ResetPeak();
  small.pipeline.Step(batch);
  return memory.peak_bytes() - live;
}

TEST(PipelineMemoryTest, OneFOneBDoesNotGrowWithTheNumberOfMicrobatches) {
  test::RunRanks(Stages(2), [](comm::World& world) {
    auto& memory = CountingAllocator::Install();
    const int64_t few = PeakOfStep(memory, world, "1f1b", 4),
                  many = PeakOfStep(memory, world, "1f1b", 16);
    EXPECT_LE(many, few + few / 10);
    // GPipe holds all: the measurement sees activations.
    EXPECT_GE(PeakOfStep(memory, world, "gpipe", 16), 3 * PeakOfStep(memory, world, "gpipe", 4));
  });
}

TEST(PipelineMemoryTest, FirstRankOf1F1BHoldsMoreThanTheLast) {
  test::RunRanks(Stages(4), [](comm::World& world) {
    auto& memory = CountingAllocator::Install();
    const int64_t peak = PeakOfStep(memory, world, "1f1b", 8);
    const at::Tensor peaks = at::empty({4}, at::kLong);
    world.Control().AllGather(peaks, at::full({1}, peak, at::kLong))->Wait();
    const int64_t* of_rank = peaks.const_data_ptr<int64_t>();
    EXPECT_GT(of_rank[0], of_rank[1]);
    EXPECT_GT(of_rank[1], of_rank[2]);
  });
}

TEST(PipelineMemoryTest, EvaluationLeavesNothingBehind) {
  test::RunRanks(Stages(2), [](comm::World& world) {
    auto& memory = CountingAllocator::Install();
    SmallPipeline small(world, OptionsOf("interleaved1f1b", 2, Transport::kMultiStream), {}, 2);
    small.pipeline.Evaluate(SmallBatch(5));
    const int64_t live = memory.live_bytes();
    for (int i = 0; i < 5; ++i) small.pipeline.Evaluate(SmallBatch(5));
    EXPECT_EQ(memory.live_bytes(), live);
  });
}

}  // namespace
}  // namespace hyperpp::pipeline

// The plan's estimate of memory against what runs hold.

#include <ATen/ops/empty.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "hyperpp/kernels/matrix_product.h"
#include "tests/support/counting_allocator.h"
#include "tests/support/ranks.h"
#include "tests/trainer/small_run.h"

namespace hyperpp::trainer {
namespace {

constexpr double kTolerance = 0.15, kMebibyte = 1 << 20;

struct Layout {
  const char* name;
  std::vector<std::string> settings;
};

class PlannedMemoryTest : public testing::TestWithParam<Layout> {};

TEST_P(PlannedMemoryTest, IsCloseToThePeakOfTensorBytes) {
  const RunInputs inputs = SmallRunInputs(GetParam().settings);
  if (inputs.config.precision.compute_dtype == config::ComputeDType::kBFloat16 &&
      kernels::ChooseProductMethod(at::empty({0}, at::kBFloat16)) ==
          kernels::ProductMethod::kConverted)
    GTEST_SKIP() << "conversions of CPUs that cannot multiply bf16 are not estimated";
  test::RunRanks(inputs.plan.mesh, [&](comm::World& world) {
    auto& memory = test::CountingAllocator::Install();
    const int64_t before = memory.live_bytes();
    SmallRun run(inputs, world);
    memory.ResetPeak();
    for (int step = 1; step <= 2; ++step) run.Step(step);
    const auto measured = static_cast<double>(memory.peak_bytes() - before);
    const int stage = world.layout().Coordinate(world.rank(), Axis::kPipeline);
    const plan::MemoryEstimate& estimate = inputs.plan.memory[static_cast<std::size_t>(stage)];
    const auto estimated = static_cast<double>(estimate.TotalBytes());
    const double ratio = estimated / measured;
    fmt::print("{:24} rank {}  measured {:6.1f} MiB  estimated {:6.1f} MiB  ratio {:.3f}\n",
               GetParam().name, world.rank(), measured / kMebibyte, estimated / kMebibyte, ratio);
    EXPECT_NEAR(ratio, 1, kTolerance) << "rank " << world.rank();
  });
}

INSTANTIATE_TEST_SUITE_P(
    Layouts, PlannedMemoryTest,
    testing::Values(
        Layout{"OneRank", {}}, Layout{"OneRankBFloat16", {"precision.compute_dtype=bfloat16"}},
        Layout{"OneRankSelective", {"activation.recompute=selective"}},
        Layout{"OneRankWithoutHeadNorms", {"model.config.model_type=qwen2"}},
        Layout{"Sharded", {"accelerator.dp_shard_size=2"}},
        Layout{"ShardedBFloat16Full",
               {"accelerator.dp_shard_size=2", "precision.compute_dtype=bfloat16",
                "activation.recompute=full"}},
        Layout{"OneFOneB", TwoStages()},
        Layout{"InterleavedFull",
               TwoStages({"pipeline.schedule=interleaved1f1b", "pipeline.split=[[1, 1], [1, 1]]",
                          "activation.recompute=full"})},
        Layout{"Tensor", {"accelerator.tp_size=2"}},
        Layout{"TensorWhole", {"accelerator.tp_size=2", "accelerator.sequence_parallel=false"}},
        Layout{"TensorBFloat16Selective",
               {"accelerator.tp_size=2", "precision.compute_dtype=bfloat16",
                "activation.recompute=selective"}},
        Layout{"Context", {"accelerator.cp_size=2"}},
        Layout{"PipelinedShards", TwoStages({"accelerator.dp_shard_size=2"})}),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace hyperpp::trainer

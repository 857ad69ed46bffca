// Runs of the program on a GPU against the same runs on the CPU.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/run_config.h"
#include "tests/support/gpu.h"
#include "tests/support/program.h"

namespace hyperpp::cli {
namespace {

using test::RunProgram;
using ::testing::HasSubstr;
using Lines = std::vector<std::string>;

constexpr std::chrono::seconds kLimit(120);  // CUDA takes seconds to start

std::string Hyperpp() { return test::BuiltProgram("hyperpp"); }

Lines With(Lines lines, const Lines& more) {
  lines.insert(lines.end(), more.begin(), more.end());
  return lines;
}

class GpuRunsTest : public ::testing::Test {
 protected:
  void SetUp() override { HYPERPP_SKIP_WITHOUT_GPU(); }

  /// Trains the run `name`, on the GPU unless `lines` say otherwise, and returns its metrics.
  std::vector<nlohmann::json> Train(const std::string& name, const Lines& lines) const {
    const std::string config = WriteRun(folder_, name, With({"accelerator.device: cuda"}, lines));
    const test::ProgramResult result = RunProgram({Hyperpp(), "train", config}, {}, kLimit);
    EXPECT_EQ(result.status, 0) << result.err;
    return Metrics(folder_, name);
  }

  const test::TemporaryFolder folder_;
};

// Loss and norm within `relative` of each other, at every step.
void ExpectNear(const std::vector<nlohmann::json>& actual,
                const std::vector<nlohmann::json>& expected, double relative) {
  ASSERT_FALSE(expected.empty());
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    for (const char* key : {"loss", "grad_norm", "evaluation_loss"}) {
      if (!expected[i].contains(key)) continue;
      const double want = expected[i][key];
      EXPECT_NEAR(actual[i][key].get<double>(), want, relative * want) << key << ", step " << i + 1;
    }
  }
}

const Lines kAdamW = {"optimizer.type: adamw", "optimizer.lr: 0.003", "optimizer.eps: 1.0e-5",
                      "optimizer.clip_grad_norm: 0.5"};

// The same fp32 sums in another order; weights drift apart a little with every step.
TEST_F(GpuRunsTest, TrainingInFp32IsThatOfTheCpu) {
  const Lines lines = With(kAdamW, {"evaluation.interval: 2", "evaluation.max_samples: 7",
                                    "evaluation.data: {type: synthetic}",
                                    "model.config: " + TinyModel(", attention_dropout: 0.2")});
  const auto expected = Train("cpu", With(lines, {"accelerator.device: cpu"}));
  ExpectNear(Train("gpu", lines), expected, 1e-4);
}

TEST_F(GpuRunsTest, SgdWithRecomputationIsThatOfTheCpu) {
  const Lines lines = {"optimizer.momentum: 0.9", "activation.recompute: full"};
  const auto expected = Train("cpu", With(lines, {"accelerator.device: cpu"}));
  ExpectNear(Train("gpu", lines), expected, 1e-4);
}

TEST_F(GpuRunsTest, TrainingInBf16StaysNearFp32) {
  const auto expected = Train("fp32", kAdamW);
  ExpectNear(Train("bf16", With(kAdamW, {"precision.compute_dtype: bfloat16"})), expected, 0.05);
}

TEST_F(GpuRunsTest, DeterministicRunsAreBitEqualAlsoWhenResumed) {
  for (const char* dtype : {"float32", "bfloat16"}) {
    const std::string name = dtype;
    const Lines lines = With(kAdamW, {"precision.compute_dtype: " + name, "checkpoint.interval: 2",
                                      "checkpoint.resume: auto"});
    const auto whole = Train(name + "_whole", lines);
    ExpectNear(Train(name + "_again", lines), whole, 0);
    Train(name + "_parts", With(lines, {"training.steps: 2"}));
    ExpectNear(Train(name + "_parts", lines), whole, 0);
  }
}

TEST_F(GpuRunsTest, CheckpointsMoveBetweenCpuAndGpu) {
  const Lines lines = With(kAdamW, {"checkpoint.interval: 2", "checkpoint.resume: auto"});
  const auto expected = Train("gpu", lines);
  Train("moved", With(lines, {"training.steps: 2", "accelerator.device: cpu"}));
  ExpectNear(Train("moved", lines), expected, 1e-4);
}

TEST_F(GpuRunsTest, GenerationIsThatOfTheCpu) {
  Train("run", {"training.steps: 20", "checkpoint.export_hf: true"});
  const std::vector<std::string> command = {Hyperpp(),
                                            "generate",
                                            "--model",
                                            (folder_ / "run/hf").string(),
                                            "--prompt-ids",
                                            "1,2,3",
                                            "--max-new-tokens",
                                            "12",
                                            "--temperature",
                                            "0",
                                            "--json"};
  const auto on_gpu = RunProgram(command, {}, kLimit);
  const auto on_cpu = RunProgram(command, {"CUDA_VISIBLE_DEVICES="}, kLimit);
  EXPECT_EQ(on_gpu.status, 0) << on_gpu.err;
  EXPECT_EQ(on_gpu.out, on_cpu.out);
  EXPECT_THAT(on_gpu.out, HasSubstr("ids"));
}

TEST_F(GpuRunsTest, PeakMemoryIsThatOfTheGpu) {
  const auto records = Train("run", {});
  ASSERT_FALSE(records.empty());
  const int64_t peak = records.back()["peak_memory_bytes"];
  EXPECT_GT(peak, 30 << 10);   // the weights alone, in fp32
  EXPECT_LT(peak, 256 << 20);  // cuBLAS workspaces; the resident set with CUDA is larger
}

TEST_F(GpuRunsTest, ReplicasAndStagesOverNcclGiveTheResultOfOneGpu) {
  if (test::NumGpus() < 2) GTEST_SKIP() << "one GPU only";
  const auto expected = Train("one", kAdamW);
  ExpectNear(Train("replicas", With(kAdamW, {"accelerator.dp_replicate_size: 2"})), expected, 1e-4);
  ExpectNear(Train("stages", With(kAdamW, {"accelerator.pp_size: 2", "pipeline.enabled: true",
                                           "pipeline.pp_microbatch_size: 2"})),
             expected, 1e-4);
}

}  // namespace
}  // namespace hyperpp::cli

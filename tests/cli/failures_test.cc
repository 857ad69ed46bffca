// What a run of several ranks does when a rank is lost, stalls, or is asked to stop.
#include <algorithm>
#include <csignal>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/run_config.h"
#include "tests/support/port.h"
#include "tests/support/program.h"

namespace hyperpp::cli {
namespace {

using test::Eventually;
using test::FileText;
using test::Program;
using test::TemporaryFolder;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;

// A run of two ranks that would go on for long.
struct LongRun {
  explicit LongRun(const std::vector<std::string>& lines = {}) {
    std::vector<std::string> all = {"training.steps: 100000", "accelerator.dp_replicate_size: 2"};
    all.insert(all.end(), lines.begin(), lines.end());
    config = WriteRun(folder, "run", all);
  }
  bool WaitForStep(std::size_t step) const {
    return Eventually([&] { return Metrics(folder, "run").size() >= step; },
                      std::chrono::seconds(30));
  }
  TemporaryFolder folder;
  std::string config;
};

std::vector<std::string> Command(const std::string& config) {
  return {test::BuiltProgram("hyperpp"), "train", config};
}

bool AllGone(const std::vector<pid_t>& processes) {
  return Eventually(
      [&] { return std::none_of(processes.begin(), processes.end(), test::IsAlive); });
}

TEST(FailuresTest, KilledRankEndsTheJobAndIsNamed) {
  const LongRun job;
  Program run(Command(job.config));
  ASSERT_TRUE(job.WaitForStep(2)) << run.Err();
  const auto ranks = test::LiveDescendants(run.pid());
  ASSERT_EQ(ranks.size(), 2U);
  kill(ranks.back(), SIGKILL);
  const auto result = run.Wait();
  EXPECT_EQ(result.status, 3);
  EXPECT_THAT(result.err, ContainsRegex("rank [01]"));
  EXPECT_TRUE(AllGone(ranks));
}

TEST(FailuresTest, StoppedRankIsNoticedAfterTheTimeout) {
  const LongRun job({"accelerator.timeout_seconds: 2"});
  Program run(Command(job.config));
  ASSERT_TRUE(job.WaitForStep(2)) << run.Err();
  const auto ranks = test::LiveDescendants(run.pid());
  kill(ranks.back(), SIGSTOP);
  const auto result = run.Wait();
  EXPECT_EQ(result.status, 3);
  EXPECT_THAT(result.err, ContainsRegex("rank [01]"));
  EXPECT_TRUE(AllGone(ranks));
}

TEST(FailuresTest, KilledLauncherLeavesNothing) {
  const LongRun job;
  Program run(Command(job.config));
  ASSERT_TRUE(job.WaitForStep(2)) << run.Err();
  const auto ranks = test::LiveDescendants(run.pid());
  run.Signal(SIGKILL);
  run.Wait();
  EXPECT_TRUE(AllGone(ranks));
}

TEST(FailuresTest, TerminateFinishesTheStepSavesAndEndsWell) {
  const LongRun job({"checkpoint.interval: 100000"});
  Program run(Command(job.config));
  ASSERT_TRUE(job.WaitForStep(3)) << run.Err();
  run.Signal(SIGTERM);
  const auto result = run.Wait();
  EXPECT_EQ(result.status, 0) << result.err;
  const auto last = Metrics(job.folder, "run").size();
  EXPECT_TRUE(std::filesystem::exists(job.folder / "run/checkpoints" /
                                      ("step_" + std::to_string(last)) / "manifest.json"));
}

TEST(FailuresTest, SaveDoesNotNeedTheFolderTheModelCameFrom) {
  const LongRun job(
      {"model.config: null", "model.init: pretrained", "checkpoint.interval: 100000"});
  const auto source = WriteRun(job.folder, "source",
                               {"training.steps: 0", "checkpoint.export_hf: true",
                                "model.config: " + TinyModel(", dtype: bfloat16")});
  ASSERT_EQ(test::RunProgram(Command(source)).status, 0);
  auto command = Command(job.config);
  command.insert(command.end(), {"--set", "model.path=" + (job.folder / "source/hf").string()});
  Program run(command);
  ASSERT_TRUE(job.WaitForStep(2)) << run.Err();
  std::filesystem::remove_all(job.folder / "source");
  run.Signal(SIGTERM);
  const auto result = run.Wait();
  EXPECT_EQ(result.status, 0) << result.err;
  const auto last = std::to_string(Metrics(job.folder, "run").size());
  EXPECT_THAT(FileText(job.folder / "run/checkpoints" / ("step_" + last) / "manifest.json"),
              HasSubstr(R"("dtype":"BF16")"));
}

TEST(FailuresTest, KillDuringSavesLeavesACheckpointToResumeFrom) {
  const LongRun job({"checkpoint.interval: 1", "checkpoint.keep: 1", "checkpoint.resume: auto"});
  for (const int delay : {0, 30, 70}) {
    Program run(Command(job.config));
    const std::size_t before = Metrics(job.folder, "run").size();
    ASSERT_TRUE(job.WaitForStep(before + 3)) << run.Err();
    test::SleepMilliseconds(delay);
    for (const pid_t rank : test::LiveDescendants(run.pid())) kill(rank, SIGKILL);
    EXPECT_EQ(run.Wait().status, 3);
  }
  const auto done = std::to_string(Metrics(job.folder, "run").size() + 2);
  const auto result = test::RunProgram(
      {test::BuiltProgram("hyperpp"), "train", job.config, "--set", "training.steps=" + done});
  EXPECT_EQ(result.status, 0) << result.err;
}

TEST(FailuresTest, RanksWithDifferentConfigurationAreRefused) {
  const TemporaryFolder folder;
  const auto first = WriteRun(folder, "a", {"accelerator.dp_replicate_size: 2"});
  const auto second =
      WriteRun(folder, "b", {"accelerator.dp_replicate_size: 2", "optimizer.lr: 0.25"});
  const auto environment = [](int rank, int port) {
    const std::string r = std::to_string(rank);
    return std::vector<std::string>{
        "RANK=" + r,          "LOCAL_RANK=" + r,       "WORLD_SIZE=2",
        "LOCAL_WORLD_SIZE=2", "MASTER_ADDR=127.0.0.1", "MASTER_PORT=" + std::to_string(port)};
  };
  const int port = test::FreePort();
  Program a(Command(first), environment(0, port)), b(Command(second), environment(1, port));
  const auto result_a = a.Wait(), result_b = b.Wait();
  EXPECT_EQ(result_a.status, 2) << result_a.err;
  EXPECT_EQ(result_b.status, 2) << result_b.err;
  EXPECT_THAT(result_a.err + result_b.err, HasSubstr("optimizer.lr"));
}

TEST(FailuresTest, OutputFolderThatCannotBeMadeIsTheMachinesFault) {
  const TemporaryFolder folder;
  folder.Write("file", "");
  const auto config =
      WriteRun(folder, "run", {"output.directory: " + (folder / "file/out").string()});
  const auto result = test::RunProgram(Command(config));
  EXPECT_EQ(result.status, 3);
  EXPECT_THAT(result.err, HasSubstr("output.directory"));
}

}  // namespace
}  // namespace hyperpp::cli

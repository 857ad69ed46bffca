// Runs that save while they train: the same checkpoints as without, and errors that end the run.
#include <csignal>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/run_config.h"
#include "tests/support/program.h"

namespace hyperpp::cli {
namespace {

namespace fs = std::filesystem;
using test::Eventually;
using test::FileText;
using test::Program;
using test::ProgramResult;
using test::RunProgram;
using test::TemporaryFolder;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

class AsyncCheckpointTest : public ::testing::TestWithParam<int> {
 protected:
  // Writes NAME.yaml for a run that saves after every second step and keeps two checkpoints.
  std::string Run(const std::string& name, const std::vector<std::string>& more) const {
    std::vector<std::string> lines = {
        "optimizer.type: adamw", "accelerator.dp_replicate_size: " + std::to_string(GetParam()),
        "checkpoint.interval: 2", "checkpoint.keep: 2", "checkpoint.resume: auto"};
    lines.insert(lines.end(), more.begin(), more.end());
    return WriteRun(folder_, name, lines);
  }
  static void Train(const std::string& config) {
    const ProgramResult result = RunProgram({test::BuiltProgram("hyperpp"), "train", config});
    ASSERT_EQ(result.status, 0) << result.err;
  }
  fs::path Checkpoints(const std::string& name) const { return folder_ / name / "checkpoints"; }
  std::vector<std::string> NamesOfCheckpoints(const std::string& name) const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(Checkpoints(name)))
      names.push_back(entry.path().filename().string());
    return names;
  }
  // The manifest without what differs by intention: the configurations, and their checksum.
  nlohmann::json Manifest(const std::string& name, const std::string& step) const {
    auto manifest = nlohmann::json::parse(FileText(Checkpoints(name) / step / "manifest.json"));
    manifest.erase("config");
    manifest.erase("manifest_checksum");
    return manifest;
  }
  void ExpectSameCheckpoint(const std::string& a, const std::string& b, const std::string& step) {
    const nlohmann::json manifest = Manifest(a, step);
    EXPECT_EQ(manifest, Manifest(b, step));
    for (const auto& shard : manifest["shards"]) {
      const std::string file = shard["file"];
      EXPECT_EQ(FileText(Checkpoints(a) / step / file), FileText(Checkpoints(b) / step / file));
    }
  }

  const TemporaryFolder folder_;
};

TEST_P(AsyncCheckpointTest, CheckpointsAndResumedRunsAreThoseOfASynchronousRun) {
  for (const std::string steps : {"5", "8"}) {
    Train(Run("sync", {"training.steps: " + steps}));
    Train(Run("async", {"training.steps: " + steps, "checkpoint.async: true"}));
    if (steps == "5")
      EXPECT_THAT(NamesOfCheckpoints("async"), UnorderedElementsAre("step_4", "step_5"));
    for (const std::string& step : NamesOfCheckpoints("sync"))
      ExpectSameCheckpoint("async", "sync", step);
  }
  EXPECT_THAT(NamesOfCheckpoints("async"), UnorderedElementsAre("step_6", "step_8"));
  const auto actual = Metrics(folder_, "async"), expected = Metrics(folder_, "sync");
  ASSERT_EQ(actual.size(), 8U);
  for (std::size_t i = 0; i < actual.size(); ++i) EXPECT_EQ(actual[i]["loss"], expected[i]["loss"]);
}

TEST_P(AsyncCheckpointTest, TerminateWaitsForTheSave) {
  const std::string config = Run(
      "run", {"training.steps: 100000", "checkpoint.interval: 100000", "checkpoint.async: true"});
  Program run({test::BuiltProgram("hyperpp"), "train", config});
  ASSERT_TRUE(Eventually([&] { return Metrics(folder_, "run").size() >= 2; }));
  run.Signal(SIGTERM);
  const auto result = run.Wait();
  EXPECT_EQ(result.status, 0) << result.err;
  const std::string last = "step_" + std::to_string(Metrics(folder_, "run").size());
  EXPECT_THAT(NamesOfCheckpoints("run"), ElementsAre(last));
}

TEST_P(AsyncCheckpointTest, FailedWriteEndsTheRunNamingTheFile) {
  const std::string config = Run("run", {"training.steps: 100000", "checkpoint.async: true"});
  // No file may grow beyond 16 KiB: the first shard fails, as it would on a full disk.
  const auto result = RunProgram({"/bin/sh", "-c", "trap '' XFSZ; ulimit -f 32; exec \"$@\"", "sh",
                                  test::BuiltProgram("hyperpp"), "train", config});
  EXPECT_EQ(result.status, 3);
  EXPECT_THAT(result.err, HasSubstr("step_2/shard_0.safetensors: cannot write: File too large"));
  EXPECT_THAT(NamesOfCheckpoints("run"), ElementsAre());
  EXPECT_LT(Metrics(folder_, "run").size(), 5U);
}

INSTANTIATE_TEST_SUITE_P(NumRanks, AsyncCheckpointTest, ::testing::Values(1, 2));

}  // namespace
}  // namespace hyperpp::cli

#include "hyperpp/trainer/step_recorder.h"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

namespace hyperpp::trainer {
namespace {

// The one record of a step of 1000 tokens in half a second, at 3e6 FLOP per token.
nlohmann::json Record(std::optional<double> peak_flops) {
  const std::string folder = ::testing::TempDir() + "/step_recorder_test";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  RunInputs inputs;
  inputs.config.output.directory = folder;
  inputs.config.output.log_interval = 1000;
  inputs.config.training.steps = 10;
  inputs.plan.cost.flops_per_token = 3e6;
  const Log log;
  StepRecorder recorder(inputs, log, 0, peak_flops);
  recorder.Write({.step = 1, .step_tokens = 1000, .total_tokens = 1000, .seconds = 0.5});
  std::ifstream in(folder + "/metrics.jsonl");
  return nlohmann::json::parse(in);
}

TEST(StepRecorderTest, UtilisationIsUsedOverPeakOperations) {
  const nlohmann::json record = Record(60e9);
  EXPECT_DOUBLE_EQ(record["tokens_per_second"], 2000);
  EXPECT_DOUBLE_EQ(record["mfu"], 0.1);
}

TEST(StepRecorderTest, WithoutAKnownPeakThereIsNoUtilisation) {
  EXPECT_FALSE(Record(std::nullopt).contains("mfu"));
}

}  // namespace
}  // namespace hyperpp::trainer

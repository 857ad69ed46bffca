// What output.trace writes, and what `hyperpp plan` makes of it.
#include <algorithm>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/run_config.h"
#include "tests/support/program.h"

namespace hyperpp::cli {
namespace {

using test::ProgramResult;
using test::RunProgram;
using ::testing::HasSubstr;

// Lanes of a trace (core/trace.h).
constexpr int kStepLane = 0, kComputeLane = 1, kCommunicationLane = 2;

std::string Hyperpp() { return test::BuiltProgram("hyperpp"); }

// Trains two pipeline ranks for four steps and records the second and the third.
std::string TracedRun(const test::TemporaryFolder& folder,
                      const std::vector<std::string>& lines = {}) {
  std::vector<std::string> all = {"accelerator.pp_size: 2", "pipeline.enabled: true",
                                  "pipeline.pp_microbatch_size: 2",
                                  "output.trace: {start_step: 2, num_steps: 2}"};
  all.insert(all.end(), lines.begin(), lines.end());
  const std::string config = WriteRun(folder, "run", all);
  const ProgramResult result = RunProgram({Hyperpp(), "train", config});
  EXPECT_EQ(result.status, 0) << result.err;
  return config;
}

nlohmann::json PlanOf(const std::vector<std::string>& arguments) {
  std::vector<std::string> command = {Hyperpp(), "plan", "--json"};
  command.insert(command.end(), arguments.begin(), arguments.end());
  const ProgramResult result = RunProgram(command);
  EXPECT_EQ(result.status, 0) << result.err;
  return nlohmann::json::parse(result.out, nullptr, /*allow_exceptions=*/false);
}

std::string TraceFolder(const test::TemporaryFolder& folder) {
  return (folder / "run/trace").string();
}

nlohmann::json EventsOf(const test::TemporaryFolder& folder, int rank) {
  const std::string path = TraceFolder(folder) + "/rank_" + std::to_string(rank) + ".json";
  return nlohmann::json::parse(test::FileText(path)).at("traceEvents");
}

TEST(TraceTest, SpansOfEveryRankAreNamedAfterThePlansActions) {
  const test::TemporaryFolder folder;
  const nlohmann::json plan = PlanOf({TracedRun(folder)});
  for (const int rank : {0, 1}) {
    std::multiset<std::string> planned, passes, messages;
    for (const std::string name : plan["pipeline"]["ranks"][rank]["actions"])
      for (int step = 0; step < 2; ++step) planned.insert(name);
    int steps = 0;
    for (const nlohmann::json& event : EventsOf(folder, rank)) {
      if (event["ph"] != "X") continue;
      const std::string name = event["name"];
      if (event["tid"] == kStepLane) ++steps;
      if (event["tid"] == kComputeLane && name != "optimizer") passes.insert(name);
      if (event["tid"] == kCommunicationLane) messages.insert(name);
    }
    EXPECT_EQ(steps, 2);
    passes.merge(messages);
    EXPECT_EQ(passes, planned) << "rank " << rank;
  }
}

TEST(TraceTest, EventsHaveTheFieldsThatPerfettoNeeds) {
  const test::TemporaryFolder folder;
  TracedRun(folder);
  for (const int rank : {0, 1}) {
    std::set<std::string> names_of_rows;
    for (const nlohmann::json& event : EventsOf(folder, rank)) {
      EXPECT_TRUE(event["name"].is_string());
      EXPECT_EQ(event["pid"], rank);
      EXPECT_TRUE(event["tid"].is_number_integer());
      if (event["ph"] == "M") {
        names_of_rows.insert(event["args"]["name"].get<std::string>());
        continue;
      }
      EXPECT_EQ(event["ph"], "X");
      EXPECT_GT(event["ts"].get<double>(), 0);
      EXPECT_GE(event["dur"].get<double>(), 0);
      if (event["tid"] == kComputeLane && event["name"] != "optimizer") {
        EXPECT_EQ(event["args"]["stage"], rank);
        EXPECT_TRUE(event["args"]["microbatch"].is_number_integer());
      }
    }
    EXPECT_THAT(names_of_rows, ::testing::IsSupersetOf({"compute", "communication", "wait"}));
    EXPECT_THAT(names_of_rows, ::testing::Contains("rank " + std::to_string(rank) + " (pp " +
                                                   std::to_string(rank) + ")"));
  }
}

TEST(TraceTest, PlanDrawsAndComparesTheMeasuredStep) {
  const test::TemporaryFolder folder;
  // An evaluation after each step runs more microbatches in the same span.
  const std::string config =
      TracedRun(folder, {"evaluation.interval: 1", "evaluation.max_samples: 20",
                         "evaluation.data: {type: synthetic}"});
  const std::string svg = (folder / "measured.svg").string();
  const nlohmann::json measured =
      PlanOf({config, "--svg", svg, "--measured", TraceFolder(folder)})["measured"];
  EXPECT_EQ(measured["step"], 3);
  ASSERT_EQ(measured["ranks"].size(), 2U);
  for (const char* key : {"bubble_fraction", "simulated_bubble_fraction"}) {
    EXPECT_GT(measured["ranks"][0][key].get<double>(), 0) << key;
    EXPECT_LT(measured["ranks"][0][key].get<double>(), 1) << key;
  }
  EXPECT_GT(measured["milliseconds"].get<double>(), 0);
  EXPECT_GT(measured["simulated_milliseconds"].get<double>(), 0);
  EXPECT_THAT(test::FileText(svg), HasSubstr("1f1b, measured in step 3: 2 ranks"));
  EXPECT_THAT(test::FileText(svg), HasSubstr("<title>1B3 "));
  const ProgramResult text = RunProgram(
      {Hyperpp(), "plan", config, "--measured", TraceFolder(folder), "--step", "2", "--svg", svg});
  EXPECT_EQ(text.status, 0) << text.err;
  EXPECT_THAT(text.out, HasSubstr("measured in step 2: "));
}

TEST(TraceTest, PlannedScheduleIsDrawnWithoutARun) {
  const test::TemporaryFolder folder;
  const std::string svg = (folder / "planned.svg").string();
  const std::vector<std::string> pipelined = {"accelerator.pp_size: 2", "pipeline.enabled: true"};
  PlanOf({WriteRun(folder, "run", pipelined), "--svg", svg});
  EXPECT_THAT(test::FileText(svg), HasSubstr("1f1b: 2 ranks, 1 chunk, 8 microbatches"));
  const auto status = [&](const std::vector<std::string>& arguments) {
    std::vector<std::string> command = {Hyperpp(), "plan"};
    command.insert(command.end(), arguments.begin(), arguments.end());
    return RunProgram(command).status;
  };
  EXPECT_EQ(status({WriteRun(folder, "one"), "--svg", svg}), 2) << "no pipeline";
  const std::string run = (folder / "run.yaml").string();
  EXPECT_EQ(status({run, "--svg", (folder / "none/planned.svg").string()}), 3);
  EXPECT_EQ(status({run, "--measured", (folder / "none").string()}), 3);
}

}  // namespace
}  // namespace hyperpp::cli

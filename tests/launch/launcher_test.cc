#include "hyperpp/launch/launcher.h"

#include <arpa/inet.h>
#include <chrono>
#include <csignal>
#include <sys/socket.h>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include "tests/support/port.h"
#include "tests/support/program.h"

namespace hyperpp::launch {
namespace {

using std::chrono::seconds;
using test::Eventually;
using test::IsAlive;
using test::LiveDescendants;
using test::Program;
using test::ProgramResult;
using test::RunProgram;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::vector<std::string> Launch(int num_ranks, const std::string& mode, int misbehaving = -1) {
  return {test::BuiltProgram("launch_probe"), "launch", std::to_string(num_ranks), mode,
          std::to_string(misbehaving)};
}

std::vector<std::string> OneRank(const std::string& mode, int misbehaving = -1) {
  return {test::BuiltProgram("launch_probe"), "rank", mode, std::to_string(misbehaving)};
}

int CountOf(const std::string& word, const std::string& text) {
  int count = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    ++count;
  }
  return count;
}

/// Starts a job and waits until all its ranks have joined.
struct RunningJob {
  explicit RunningJob(const std::vector<std::string>& arguments, int num_ranks)
      : program(arguments) {
    EXPECT_TRUE(
        Eventually([&] { return CountOf("pid ", program.Out()) == num_ranks; }, seconds(60)))
        << program.Err();
    ranks = LiveDescendants(program.pid());
  }

  void ExpectRanksEnd() const {
    for (pid_t rank : ranks) EXPECT_TRUE(Eventually([&] { return !IsAlive(rank); })) << rank;
  }

  Program program;
  std::vector<pid_t> ranks;
};

TEST(Launcher, RanksJoinAndEnd) {
  const ProgramResult result = RunProgram(Launch(2, "reduce"));
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(CountOf("sum 2\n", result.out), 2);
  EXPECT_EQ(result.err, "");
}

TEST(Launcher, JobsStartedTogetherBothRun) {
  Program first(Launch(2, "reduce")), second(Launch(2, "reduce"));
  EXPECT_EQ(first.Wait().status, 0);
  EXPECT_EQ(second.Wait().status, 0);
}

TEST(Launcher, RankVariablesOfTheEnvironmentAreReplaced) {
  const ProgramResult result = RunProgram(
      Launch(2, "reduce"), {"RANK=5", "WORLD_SIZE=9", "MASTER_PORT=1", "LOCAL_RANK=5",
                            "TORCHELASTIC_USE_AGENT_STORE=True", "HYPERPP_LAUNCHER=1:2:3"});
  EXPECT_EQ(result.status, 0) << result.err;
}

TEST(Launcher, KilledRankIsNamedAndEndsTheJob) {
  const ProgramResult result = RunProgram(Launch(2, "kill", 1), {}, seconds(60));
  EXPECT_EQ(result.status, 3);
  EXPECT_THAT(result.err, AllOf(HasSubstr("rank 1 was killed by signal 9 (SIGKILL)"),
                                Not(HasSubstr("connection closed"))));
  EXPECT_EQ(CountOf("error:", result.err), 1);
}

TEST(Launcher, OtherRanksAreKilledAfterAGrace) {
  RunningJob job(Launch(2, "exit", 0), 2);
  const ProgramResult result = job.program.Wait(seconds(60));
  EXPECT_EQ(result.status, 7);
  EXPECT_THAT(result.err, HasSubstr("rank 0 ended with exit status 7"));
  job.ExpectRanksEnd();
}

TEST(Launcher, OwnErrorOfARankIsSaidOnceAndEchoesAreNot) {
  const ProgramResult result = RunProgram(Launch(3, "fail", 2), {}, seconds(60));
  EXPECT_EQ(result.status, 3);
  EXPECT_EQ(result.err, "hyperpp: rank 2: error: out/step_3: disk full\n");
}

TEST(Launcher, ErrorOfAllRanksIsSaidOnce) {
  const ProgramResult agreed = RunProgram(Launch(2, "agree", 1));
  EXPECT_EQ(agreed.status, 2);
  EXPECT_EQ(agreed.err, "hyperpp: error: shard_3: damaged\n");
  const ProgramResult early = RunProgram(Launch(2, "early"));
  EXPECT_EQ(early.status, 2);
  EXPECT_EQ(early.err, "hyperpp: error: run.yaml, line 3: training.steps is missing\n");
}

TEST(Launcher, FrozenRankIsNoticedAndKilled) {
  RunningJob job(Launch(2, "freeze", 1), 2);
  const ProgramResult result = job.program.Wait(seconds(60));
  EXPECT_EQ(result.status, 3);
  EXPECT_THAT(result.err,
              HasSubstr("rank 0 (pp 0): all_reduce over ranks 0,1: no answer within 1 s"));
  job.ExpectRanksEnd();
}

TEST(Launcher, KilledLauncherLeavesNothing) {
  RunningJob job(Launch(2, "sleep"), 2);
  EXPECT_EQ(job.ranks.size(), 2);
  job.program.Signal(SIGKILL);
  EXPECT_EQ(job.program.Wait().signal, SIGKILL);
  job.ExpectRanksEnd();
}

TEST(Launcher, StopSignalIsPassedOnOnce) {
  for (int number : {SIGTERM, SIGINT}) {
    RunningJob job(Launch(2, "stop"), 2);
    job.program.Signal(number);
    job.program.Signal(number);  // the same Ctrl-C, delivered twice
    const ProgramResult result = job.program.Wait(seconds(60));
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_EQ(CountOf("saved", result.out), 2);
    EXPECT_EQ(result.err, "");
  }
}

TEST(Launcher, StopBeforeRanksAreReadyIsNotLost) {
  Program program(Launch(2, "stop"));
  EXPECT_TRUE(Eventually([&] { return LiveDescendants(program.pid()).size() == 2; }));
  program.Signal(SIGTERM);
  const ProgramResult result = program.Wait(seconds(60));
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(CountOf("saved", result.out), 2);
}

TEST(Launcher, SecondStopKillsRanksThatDoNotStop) {
  RunningJob job(Launch(2, "sleep"), 2);
  job.program.Signal(SIGTERM);
  test::SleepMilliseconds(1200);
  job.program.Signal(SIGTERM);
  const ProgramResult result = job.program.Wait(seconds(60));
  EXPECT_EQ(result.status, 3);
  EXPECT_THAT(result.err, HasSubstr("killed at the second signal"));
  job.ExpectRanksEnd();
}

std::vector<std::string> Variables(int rank, int num_ranks, int port) {
  return {fmt::format("RANK={}", rank), fmt::format("WORLD_SIZE={}", num_ranks),
          "MASTER_ADDR=127.0.0.1", fmt::format("MASTER_PORT={}", port)};
}

TEST(RankVariables, RanksStartedByHandJoin) {
  const int port = test::FreePort();
  Program first(OneRank("reduce"), Variables(0, 2, port));
  Program second(OneRank("reduce"), Variables(1, 2, port));
  EXPECT_EQ(first.Wait().status, 0) << first.Err();
  EXPECT_THAT(second.Wait().out, HasSubstr("sum 2"));
}

TEST(RankVariables, DifferentConfigurationsEndBothAndOneSaysIt) {
  const int port = test::FreePort();
  Program first(OneRank("differ", 1), Variables(0, 2, port));
  Program second(OneRank("differ", 1), Variables(1, 2, port));
  const ProgramResult zero = first.Wait(), one = second.Wait();
  EXPECT_EQ(zero.status, 2);
  EXPECT_EQ(one.status, 2);
  EXPECT_THAT(zero.err, HasSubstr("schedule is 1f1b on rank 0, gpipe on rank 1"));
  EXPECT_EQ(one.err, "");
}

TEST(RankVariables, MissingRankIsNamedInTime) {
  const ProgramResult result =
      RunProgram(OneRank("lonely"), Variables(0, 2, test::FreePort()), seconds(60));
  EXPECT_EQ(result.status, 3);
  EXPECT_THAT(result.err, HasSubstr("1 of 2 ranks joined (rank 0), rank 1 did not within 1 s"));
}

TEST(RankVariables, BusyPortIsNamed) {
  const test::TakenPort taken;
  const ProgramResult result =
      RunProgram(OneRank("reduce"), Variables(0, 2, taken.port), seconds(60));
  EXPECT_EQ(result.status, 3);
  EXPECT_THAT(result.err, HasSubstr(fmt::format("port {} is in use", taken.port)));
}

TEST(RankVariables, RankOutOfRangeIsInput) {
  const ProgramResult result = RunProgram(OneRank("reduce"), Variables(2, 2, 4000));
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.err, HasSubstr("RANK: 2 is out of range for WORLD_SIZE = 2"));
}

}  // namespace
}  // namespace hyperpp::launch

#include "hyperpp/launch/outcome.h"

#include <csignal>

#include <gmock/gmock.h>

namespace hyperpp::launch {
namespace {

using testing::HasSubstr;

int Exited(int status) { return status << 8; }

RankOutcome Reported(int rank, int status, const std::string& text, bool is_communication = false) {
  RankOutcome outcome;
  outcome.rank = rank;
  outcome.wait_status = Exited(status);
  outcome.report = FailureReport{status, is_communication, text};
  return outcome;
}

RankOutcome Ended(int rank, int wait_status) {
  RankOutcome outcome;
  outcome.rank = rank;
  outcome.wait_status = wait_status;
  return outcome;
}

TEST(Outcome, JobWithoutFailureIsDone) {
  EXPECT_EQ(JudgeJob({}, 2).exit_status, 0);
  EXPECT_EQ(JudgeJob({}, 2).text, "");
}

TEST(Outcome, OwnErrorGoesBeforeEarlierEchoes) {
  const JobOutcome outcome = JudgeJob({Reported(0, 3, "connection closed", true),
                                       Reported(2, 2, "bad shard"), Reported(1, 3, "disk full")},
                                      3);
  EXPECT_EQ(outcome.exit_status, 2);
  EXPECT_EQ(outcome.text, "bad shard");
  EXPECT_EQ(outcome.causing_rank, 2);
}

TEST(Outcome, KilledRankGoesBeforeEarlierEchoes) {
  const JobOutcome outcome =
      JudgeJob({Reported(0, 3, "connection closed", true), Ended(1, SIGKILL)}, 2);
  EXPECT_EQ(outcome.exit_status, 3);
  EXPECT_THAT(outcome.text, HasSubstr("rank 1 was killed by signal 9 (SIGKILL)"));
}

TEST(Outcome, KillsByTheLauncherAreNoCause) {
  RankOutcome killed = Ended(1, SIGKILL);
  killed.was_killed = true;
  const JobOutcome outcome = JudgeJob({Reported(0, 3, "no answer within 5 s", true), killed}, 2);
  EXPECT_EQ(outcome.exit_status, 3);
  EXPECT_EQ(outcome.text, "no answer within 5 s");
}

TEST(Outcome, ErrorOfAllRanksBelongsToNone) {
  const JobOutcome outcome = JudgeJob({Reported(1, 2, "bad key"), Reported(0, 2, "bad key")}, 2);
  EXPECT_EQ(outcome.text, "bad key");
  EXPECT_FALSE(outcome.causing_rank);
}

TEST(Outcome, SilentExitIsNamed) {
  const JobOutcome outcome = JudgeJob({Ended(1, Exited(7))}, 2);
  EXPECT_EQ(outcome.exit_status, 7);
  EXPECT_THAT(outcome.text, HasSubstr("rank 1 ended with exit status 7"));
}

TEST(Outcome, StoppedJobIsDone) {
  RankOutcome stopped = Ended(1, SIGTERM);
  stopped.was_stopped = true;
  EXPECT_EQ(JudgeJob({stopped, Reported(0, 3, "connection closed", true)}, 2).exit_status, 0);
  EXPECT_EQ(JudgeJob({stopped, Reported(0, 3, "disk full")}, 2).exit_status, 3);
}

}  // namespace
}  // namespace hyperpp::launch

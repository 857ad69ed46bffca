#include "hyperpp/launch/failure_report.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include "hyperpp/comm/shared_cause.h"

namespace hyperpp::launch {
namespace {

using testing::internal::CaptureStderr;
using testing::internal::GetCapturedStderr;

comm::RankIdentity Rank(int rank) {
  comm::RankIdentity identity;
  identity.rank = rank;
  identity.world_size = 2;
  return identity;
}

TEST(FailureReport, LoneProcessSaysItItself) {
  CaptureStderr();
  EXPECT_EQ(ReportFailure(InputError("tokens.bin: empty"), std::nullopt), 2);
  EXPECT_EQ(GetCapturedStderr(), "hyperpp: error: tokens.bin: empty\n");
}

TEST(FailureReport, RankOfAnotherLauncherNamesItself) {
  CaptureStderr();
  EXPECT_EQ(ReportFailure(IoError("disk full"), Rank(1)), 3);
  EXPECT_EQ(ReportFailure(CommError("rank 1 (pp 1): send to rank 0: closed"), Rank(1)), 3);
  EXPECT_EQ(GetCapturedStderr(),
            "hyperpp: rank 1: error: disk full\n"
            "hyperpp: error: rank 1 (pp 1): send to rank 0: closed\n");
}

TEST(FailureReport, SharedCauseIsSaidByItsSpeaker) {
  const comm::Shared<ConfigError> error("schedules differ", 0);
  CaptureStderr();
  EXPECT_EQ(ReportFailure(error, Rank(1)), 2);
  EXPECT_EQ(GetCapturedStderr(), "");
  CaptureStderr();
  EXPECT_EQ(ReportFailure(error, Rank(0)), 2);
  EXPECT_EQ(GetCapturedStderr(), "hyperpp: rank 0: error: schedules differ\n");
}

TEST(FailureReport, RankOfOwnLauncherTellsTheLauncher) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  comm::RankIdentity identity = Rank(1);
  identity.report_descriptor = ends[1];
  CaptureStderr();
  EXPECT_EQ(ReportFailure(CommError("closed"), identity), 3);
  EXPECT_EQ(GetCapturedStderr(), "");
  char buffer[100];
  const ssize_t got = read(ends[0], buffer, sizeof buffer);
  ASSERT_GT(got, 0);
  const auto report = UnpackReport(std::string(buffer, static_cast<std::size_t>(got)));
  ASSERT_TRUE(report);
  EXPECT_EQ(report->exit_status, 3);
  EXPECT_TRUE(report->is_communication);
  EXPECT_EQ(report->text, "closed");
  close(ends[0]);
  close(ends[1]);
}

TEST(FailureReport, TextOfSeveralLinesComesBack) {
  const auto report = UnpackReport(PackReport({2, false, "first\nsecond 3 4\n"}));
  ASSERT_TRUE(report);
  EXPECT_EQ(report->text, "first\nsecond 3 4\n");
  EXPECT_FALSE(UnpackReport(""));
}

}  // namespace
}  // namespace hyperpp::launch

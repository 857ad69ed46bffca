#include "hyperpp/plan/step_peak.h"

#include <gtest/gtest.h>

namespace hyperpp::plan {
namespace {

using pipeline::ActionType;
using pipeline::StageIndex;

pipeline::RankActions Actions(const std::vector<std::string>& texts) {
  pipeline::RankActions actions;
  for (const std::string& text : texts) actions.push_back(pipeline::ParseAction(text, "test"));
  return actions;
}

StepPeak PeakOf(const std::vector<std::string>& actions, const PassMemory& pass,
                bool messages_overlap = true) {
  return PeakOfStep(Actions(actions), {{StageIndex{1}, pass}}, messages_overlap);
}

TEST(StepPeakTest, PassesAreKeptFromForwardToBackward) {
  const PassMemory pass{.kept = 100};
  EXPECT_EQ(PeakOf({"1F0", "1B0", "1F1", "1B1"}, pass).kept, 100);
  EXPECT_EQ(PeakOf({"1F0", "1F1", "1B0", "1F2", "1B1", "1B2"}, pass).kept, 200);
}

TEST(StepPeakTest, WorkspaceIsThatOfTheLargestMoment) {
  EXPECT_EQ(PeakOf({"1F0", "1B0"}, {.kept = 10, .forward = 7, .backward = 5}).workspace, 7);
  EXPECT_EQ(PeakOf({"1F0", "1B0"}, {.kept = 10, .forward = 2, .backward = 5}).workspace, 5);
}

TEST(StepPeakTest, ReceivesThatStartEarlyAreMessagesUntilTheyAreUsed) {
  const PassMemory pass{.kept = 10, .boundary = 1};
  const StepPeak peak = PeakOf({"1RECV_F0", "1RECV_F1", "1F0", "1F1", "1B0", "1B1"}, pass);
  EXPECT_EQ(peak.kept, 20);
  EXPECT_EQ(peak.messages, 0);
  EXPECT_EQ(PeakOf({"1RECV_F0", "1RECV_F1", "1F0", "1B0", "1F1", "1B1"}, pass).messages, 1);
}

TEST(StepPeakTest, ReceivedGradientsStayToTheEndOfTheBackward) {
  const PassMemory pass{.kept = 10, .boundary = 1};
  EXPECT_EQ(PeakOf({"1F0", "1RECV_B0", "1B0"}, pass).messages, 1);
}

TEST(StepPeakTest, OverlappedSendsOfGradientsWaitForTwoMore) {
  const PassMemory pass{.kept = 0, .backward = 50, .boundary = 1};
  const std::vector<std::string> actions = {"1F0", "1B0", "1SEND_B0", "1F1", "1B1", "1SEND_B1",
                                            "1F2", "1B2", "1SEND_B2", "1F3", "1B3", "1SEND_B3"};
  EXPECT_EQ(PeakOf(actions, pass).messages, 2);
  EXPECT_EQ(PeakOf(actions, pass, /*messages_overlap=*/false).messages, 0);
}

}  // namespace
}  // namespace hyperpp::plan

#include "hyperpp/pipeline/schedule/simulator.h"

#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "hyperpp/core/error.h"
#include "hyperpp/pipeline/schedule/in_flight.h"
#include "hyperpp/pipeline/schedule/insert_communication.h"
#include "hyperpp/pipeline/schedule/one_f_one_b.h"
#include "hyperpp/pipeline/schedule/schedule_text.h"

namespace hyperpp::pipeline {
namespace {

// Start and end of every action of a rank, as "0F0 0-1, ...".
std::string TimesOf(const Timeline& timeline, size_t rank) {
  std::string text;
  for (const TimedAction& timed : timeline.ranks[rank]) {
    text += fmt::format("{}{} {:g}-{:g}", text.empty() ? "" : ", ", FormatAction(timed.action),
                        timed.start, timed.end);
  }
  return text;
}

TEST(SimulatorTest, ActionsStartWhenRankAndInputAreReady) {
  const Schedule schedule = OneFOneB({2, 1, 2});
  const Timeline timeline = Simulate(schedule, {{1, 2}, {3, 4}, 0});
  EXPECT_EQ(TimesOf(timeline, 0), "0F0 0-1, 0F1 1-2, 0B0 7-10, 0B1 13-16");
  EXPECT_EQ(TimesOf(timeline, 1), "1F0 1-3, 1B0 3-7, 1F1 7-9, 1B1 9-13");
  EXPECT_DOUBLE_EQ(Makespan(timeline), 16);
  EXPECT_DOUBLE_EQ(BubbleFraction(timeline, 0), 0.5);
  EXPECT_DOUBLE_EQ(BubbleFraction(timeline, 1), 0.25);
  EXPECT_DOUBLE_EQ(BubbleFraction(timeline), 0.375);
}

TEST(SimulatorTest, OverlappedMessagesDelayTheirReceiverAlone) {
  const ActionDurations durations{{1, 1}, {1, 1}, 0.5};
  const Timeline without = Simulate(OneFOneB({2, 1, 2}), durations);
  EXPECT_EQ(TimesOf(without, 0), "0F0 0-1, 0F1 1-2, 0B0 4-5, 0B1 6-7");
  EXPECT_EQ(TimesOf(without, 1), "1F0 1.5-2.5, 1B0 2.5-3.5, 1F1 3.5-4.5, 1B1 4.5-5.5");
  const Timeline with = Simulate(InsertCommunication(OneFOneB({2, 1, 2})), durations);
  EXPECT_DOUBLE_EQ(Makespan(with), Makespan(without));
}

TEST(SimulatorTest, BlockingMessagesHoldBothRanks) {
  const Timeline timeline = Simulate(InsertCommunication(OneFOneB({2, 1, 1})),
                                     {{1, 1}, {2, 2}, 0.5}, Transfer::kBlocking);
  EXPECT_EQ(TimesOf(timeline, 0), "0F0 0-1, 0SEND_F0 1-1.5, 0RECV_B0 1.5-5, 0B0 5-7");
  EXPECT_EQ(TimesOf(timeline, 1), "1RECV_F0 0-1.5, 1F0 1.5-2.5, 1B0 2.5-4.5, 1SEND_B0 4.5-5");
}

TEST(SimulatorTest, ScheduleThatCannotEndIsADefect) {
  const Schedule broken = ParseSchedule("0F0,0B0\n1B0,1F0\n", "table");
  Schedule cyclic = ParseSchedule("0F0,0B0,0F1,0B1\n1F0,1F1,1B0,1B1\n", "table");
  EXPECT_THROW(Simulate(cyclic, UniformDurations(cyclic.shape, 1, 1)), InternalError);
  EXPECT_THROW(Simulate(broken, {{1}, {1}, 0}), InternalError);
}

TEST(SimulatorTest, PeakInFlightCountsEachPass) {
  EXPECT_EQ(PeakInFlight(ParseSchedule("0F0,0F1,0B0,0F2,0B1,0B2\n", "table")),
            (std::vector<int>{2}));
  EXPECT_EQ(PeakInFlight(ParseSchedule("0F0,1F0,1B0,0B0\n", "table")), (std::vector<int>{2}));
}

}  // namespace
}  // namespace hyperpp::pipeline

#include "hyperpp/pipeline/schedule/receive_early.h"

#include <algorithm>
#include <functional>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "hyperpp/pipeline/schedule/dependencies.h"
#include "hyperpp/pipeline/schedule/one_f_one_b.h"
#include "hyperpp/pipeline/schedule/schedule_text.h"
#include "hyperpp/pipeline/schedule/simulator.h"
#include "tests/pipeline/schedule/each_schedule.h"

namespace hyperpp::pipeline {
namespace {

RankActions Only(RankActions actions, const std::function<bool(const Action&)>& keep) {
  std::erase_if(actions, [&](const Action& action) { return !keep(action); });
  return actions;
}

bool Receives(const Action& action) { return IsReceive(action.type); }
bool ComputesOrSends(const Action& action) { return !IsReceive(action.type); }

int PlaceOf(const RankActions& actions, const Action& action) {
  return static_cast<int>(std::find(actions.begin(), actions.end(), action) - actions.begin());
}

int ComputesBefore(const RankActions& actions, const Action& action) {
  const auto end = actions.begin() + PlaceOf(actions, action);
  return static_cast<int>(
      std::count_if(actions.begin(), end, [](const Action& a) { return IsCompute(a.type); }));
}

// Walks all lists as an executor does whose receives only offer a buffer, whose compute actions
// wait for the message they consume, and whose sends wait until the buffer is offered. True if all
// end.
bool EndsWithOfferedBuffers(const Schedule& schedule) {
  std::vector<std::size_t> position(schedule.ranks.size(), 0);
  std::set<Action> done;
  const auto can_run = [&](const Action& action) {
    if (IsSend(action.type)) return done.contains(PartnerOf(action));
    if (!IsCompute(action.type)) return true;
    const auto receive = ReceiveFor(action, schedule.shape);
    if (receive) return done.contains(*receive) && done.contains(PartnerOf(*receive));
    const auto producer = ProducerOf(action, schedule.shape);
    return !producer || done.contains(*producer);
  };
  for (bool progress = true; progress;) {
    progress = false;
    for (std::size_t rank = 0; rank < schedule.ranks.size(); ++rank) {
      const RankActions& actions = schedule.ranks[rank];
      while (position[rank] < actions.size() && can_run(actions[position[rank]])) {
        done.insert(actions[position[rank]++]);
        progress = true;
      }
    }
  }
  for (std::size_t rank = 0; rank < schedule.ranks.size(); ++rank)
    if (position[rank] < schedule.ranks[rank].size()) return false;
  return true;
}

TEST(ReceiveEarlyTest, MessagesTravelWhileTheActionBeforeComputes) {
  EXPECT_EQ(FormatSchedule(ReceiveEarly(MakeSchedule("1f1b", {2, 1, 2}))),
            "0F0,0SEND_F0,0RECV_B0,0F1,0SEND_F1,0RECV_B1,0B0,0B1\n"
            "1RECV_F0,1RECV_F1,1F0,1B0,1SEND_B0,1F1,1B1,1SEND_B1\n");
}

TEST(ReceiveEarlyTest, ScheduleWithoutMessagesStaysAsItIs) {
  EXPECT_EQ(ReceiveEarly(OneFOneB({3, 1, 4})), OneFOneB({3, 1, 4}));
}

TEST(ReceiveEarlyTest, OrderOfReceivesAndOfAllElseStays) {
  ForEachSchedule([](const Schedule& schedule) {
    const Schedule early = ReceiveEarly(schedule);
    ASSERT_EQ(early.ranks.size(), schedule.ranks.size());
    for (std::size_t rank = 0; rank < early.ranks.size(); ++rank) {
      EXPECT_EQ(Only(early.ranks[rank], Receives), Only(schedule.ranks[rank], Receives));
      EXPECT_EQ(Only(early.ranks[rank], ComputesOrSends),
                Only(schedule.ranks[rank], ComputesOrSends));
    }
  });
}

TEST(ReceiveEarlyTest, ReceivesStartOneComputeActionEarlierAndBeforeTheirUse) {
  ForEachSchedule([](const Schedule& schedule) {
    const Schedule early = ReceiveEarly(schedule);
    for (std::size_t rank = 0; rank < early.ranks.size(); ++rank) {
      const RankActions& actions = early.ranks[rank];
      for (const Action& action : actions) {
        if (IsReceive(action.type)) {
          const int before = ComputesBefore(schedule.ranks[rank], action);
          EXPECT_EQ(ComputesBefore(actions, action), std::max(0, before - 1));
        } else if (const auto receive = ReceiveFor(action, schedule.shape);
                   IsCompute(action.type) && receive) {
          EXPECT_LT(PlaceOf(actions, *receive), PlaceOf(actions, action));
        }
      }
    }
  });
}

TEST(ReceiveEarlyTest, EndsEvenIfSendsWaitForTheOfferedBuffer) {
  ForEachSchedule([](const Schedule& schedule) {
    EXPECT_TRUE(EndsWithOfferedBuffers(ReceiveEarly(schedule)));
  });
  const Schedule crossed = ParseSchedule("0F0,0SEND_F0,0RECV_B0,0B0\n1F0,1RECV_F0,1B0,1SEND_B0\n",
                                         "receive after its use");
  EXPECT_FALSE(EndsWithOfferedBuffers(crossed)) << "the check sees what is wrong";
}

TEST(ReceiveEarlyTest, PredictedTimeStays) {
  ForEachSchedule([](const Schedule& schedule) {
    const ActionDurations durations = UniformDurations(schedule.shape, 1, 2, 0.25);
    EXPECT_DOUBLE_EQ(Makespan(Simulate(ReceiveEarly(schedule), durations)),
                     Makespan(Simulate(schedule, durations)));
  });
}

}  // namespace
}  // namespace hyperpp::pipeline

#include "hyperpp/pipeline/schedule/forward_only.h"

#include <algorithm>
#include <optional>
#include <set>

#include <gtest/gtest.h>

#include "hyperpp/pipeline/schedule/dependencies.h"
#include "hyperpp/pipeline/schedule/replay.h"
#include "hyperpp/pipeline/schedule/schedule_text.h"
#include "hyperpp/pipeline/schedule/simulator.h"
#include "tests/pipeline/schedule/each_schedule.h"

namespace hyperpp::pipeline {
namespace {

std::string DeadlockOf(const Schedule& schedule) {
  const auto deadlock = FindDeadlock(schedule);
  return deadlock ? deadlock->fact : "";
}

TEST(ForwardOnlyTest, BackwardPassesAndTheirMessagesAreGone) {
  EXPECT_EQ(FormatSchedule(ForwardOnly(MakeSchedule("1f1b", {2, 1, 2}))),
            "0F0,0SEND_F0,0F1,0SEND_F1\n"
            "1RECV_F0,1F0,1RECV_F1,1F1\n");
}

TEST(ForwardOnlyTest, ShardedStagesAreGatheredButNotReduced) {
  const Schedule schedule =
      ParseSchedule("0UNSHARD,0F0,0B0,0REDUCE_GRAD,0RESHARD\n", "one sharded stage");
  EXPECT_EQ(FormatSchedule(ForwardOnly(schedule)), "0UNSHARD,0F0,0RESHARD\n");
}

TEST(ForwardOnlyTest, WhatIsLeftKeepsItsOrder) {
  ForEachSchedule([](const Schedule& schedule) {
    const Schedule forward = ForwardOnly(schedule);
    for (std::size_t rank = 0; rank < schedule.ranks.size(); ++rank) {
      auto next = schedule.ranks[rank].begin();
      for (const Action& action : forward.ranks[rank]) {
        next = std::find(next, schedule.ranks[rank].end(), action);
        ASSERT_NE(next, schedule.ranks[rank].end()) << FormatAction(action);
      }
    }
  });
}

TEST(ForwardOnlyTest, EachStageRunsEachMicrobatchOnceBetweenItsMessages) {
  ForEachSchedule([](const Schedule& schedule) {
    const ScheduleShape& shape = schedule.shape;
    const Schedule forward = ForwardOnly(schedule);
    for (int rank = 0; rank < shape.num_ranks; ++rank) {
      const RankActions& actions = forward.ranks[static_cast<std::size_t>(rank)];
      std::set<Action> seen;
      std::size_t expected = 0;
      for (const Action& action : actions) {
        EXPECT_TRUE(seen.insert(action).second) << FormatAction(action);
        if (IsSend(action.type)) {
          EXPECT_TRUE(seen.contains(Forward(action.stage, action.microbatch)));
        } else if (const auto receive = ReceiveFor(action, shape);
                   IsCompute(action.type) && receive) {
          EXPECT_TRUE(seen.contains(*receive));
        }
      }
      for (int chunk = 0; chunk < shape.num_chunks; ++chunk) {
        for (int microbatch = 0; microbatch < shape.num_microbatches; ++microbatch) {
          const Action pass = Forward(shape.StageOf(rank, chunk), {microbatch});
          EXPECT_TRUE(seen.contains(pass)) << FormatAction(pass);
          expected += 1 + (ReceiveFor(pass, shape) ? 1 : 0) + (SendAfter(pass, shape) ? 1 : 0);
        }
      }
      EXPECT_EQ(actions.size(), expected) << "and nothing else";
    }
  });
}

TEST(ForwardOnlyTest, EndsWithSendsThatWaitForTheirReceive) {
  ForEachSchedule([](const Schedule& schedule) {
    const Schedule forward = ForwardOnly(schedule);
    EXPECT_EQ(DeadlockOf(forward), "");
    const ActionDurations durations = UniformDurations(schedule.shape, 1, 2, 0.25);
    EXPECT_NO_THROW(Simulate(forward, durations, Transfer::kBlocking));
  });
  EXPECT_NE(DeadlockOf(ParseSchedule("0F0,0F1,0SEND_F1,0SEND_F0\n"
                                     "1RECV_F0,1F0,1RECV_F1,1F1\n",
                                     "crossed sends")),
            "")
      << "the check sees what is wrong";
}

}  // namespace
}  // namespace hyperpp::pipeline

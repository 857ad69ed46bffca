#include "hyperpp/pipeline/schedule/insert_communication.h"

#include <map>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "hyperpp/core/error.h"
#include "hyperpp/pipeline/schedule/interleaved_1f1b.h"
#include "hyperpp/pipeline/schedule/one_f_one_b.h"
#include "hyperpp/pipeline/schedule/schedule_text.h"

namespace hyperpp::pipeline {
namespace {

TEST(InsertCommunicationTest, NeighboursNeverBothStandInASend) {
  EXPECT_EQ(FormatSchedule(InsertCommunication(OneFOneB({2, 1, 2}))),
            "0F0,0SEND_F0,0F1,0SEND_F1,0RECV_B0,0B0,0RECV_B1,0B1\n"
            "1RECV_F0,1F0,1RECV_F1,1B0,1SEND_B0,1F1,1B1,1SEND_B1\n");
}

TEST(InsertCommunicationTest, ActivationsGoFromTheLastRankBackToTheFirst) {
  EXPECT_EQ(FormatSchedule(InsertCommunication(Interleaved1F1B({2, 2, 1}))),
            "0F0,0SEND_F0,2RECV_F0,2F0,2SEND_F0,2RECV_B0,2B0,2SEND_B0,0RECV_B0,0B0\n"
            "1RECV_F0,1F0,1SEND_F0,3RECV_F0,3F0,3B0,3SEND_B0,1RECV_B0,1B0,1SEND_B0\n");
}

TEST(InsertCommunicationTest, ChunksOfOneRankNeedNoMessage) {
  EXPECT_FALSE(InsertCommunication(Interleaved1F1B({1, 2, 3})).HasCommunication());
}

// What an executor that posts messages ahead relies on.
TEST(InsertCommunicationTest, BothSidesOfAPairSeeTheSameOrder) {
  const Schedule schedule = InsertCommunication(Interleaved1F1B({3, 3, 7}));
  std::map<std::pair<int, int>, std::vector<Action>> sent, received;
  for (const RankActions& actions : schedule.ranks) {
    for (const Action& action : actions) {
      if (!IsCommunication(action.type)) continue;
      const Action send = IsSend(action.type) ? action : PartnerOf(action);
      const std::pair<int, int> pair{schedule.shape.RankOf(send.stage),
                                     schedule.shape.RankOf(PartnerOf(send).stage)};
      (IsSend(action.type) ? sent : received)[pair].push_back(send);
    }
  }
  EXPECT_EQ(sent.size(), 6u);
  EXPECT_EQ(sent, received);
}

TEST(InsertCommunicationTest, ActionsOfAStageKeepTheirPlace) {
  Schedule schedule = OneFOneB({2, 1, 1});
  schedule.ranks[1].push_back({ActionType::kReduceGrad, {1}, {}});
  EXPECT_EQ(FormatSchedule(InsertCommunication(schedule)),
            "0F0,0SEND_F0,0RECV_B0,0B0\n"
            "1RECV_F0,1F0,1B0,1SEND_B0,1REDUCE_GRAD\n");
}

TEST(InsertCommunicationTest, MessagesAndBrokenSchedulesAreRefused) {
  EXPECT_THROW(InsertCommunication(InsertCommunication(OneFOneB({2, 1, 2}))), PlanError);
  Schedule broken = OneFOneB({2, 1, 2});
  broken.ranks[0].pop_back();
  EXPECT_THROW(InsertCommunication(broken), PlanError);
}

}  // namespace
}  // namespace hyperpp::pipeline

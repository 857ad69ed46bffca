#include "hyperpp/pipeline/schedule/insert_sharding.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hyperpp/pipeline/schedule/schedule_text.h"
#include "hyperpp/pipeline/schedule/schedules.h"

namespace hyperpp::pipeline {
namespace {

using ::testing::HasSubstr;

TEST(InsertShardingTest, OneRankReducesEachMicrobatch) {
  EXPECT_EQ(FormatSchedule(InsertSharding(MakeSchedule("1f1b", {1, 1, 2}))),
            "0UNSHARD,0F0,0B0,0REDUCE_GRAD,0F1,0B1,0REDUCE_GRAD,0RESHARD\n");
}

TEST(InsertShardingTest, PipelinesReduceEachStageOnceBehindItsLastBackward) {
  for (const int chunks : {1, 2}) {
    const Schedule plain = MakeSchedule(chunks == 1 ? "1f1b" : "interleaved1f1b", {2, chunks, 5});
    const Schedule sharded = InsertSharding(plain);
    for (std::size_t rank = 0; rank < 2; ++rank) {
      RankActions rest;
      std::map<int, int> backwards, reductions, unshards, reshards;
      for (const Action& action : sharded.ranks[rank]) {
        const int stage = action.stage.value;
        if (action.type == ActionType::kUnshard) {
          EXPECT_EQ(unshards[stage]++, 0);
          EXPECT_EQ(backwards[stage], 0);
        } else if (action.type == ActionType::kReduceGrad) {
          EXPECT_EQ(reductions[stage]++, 0);
          EXPECT_EQ(backwards[stage], 5) << FormatSchedule(sharded);
        } else if (action.type == ActionType::kReshard) {
          EXPECT_EQ(reshards[stage]++, 0);
          EXPECT_EQ(reductions[stage], 1);
        } else {
          if (IsCompute(action.type)) EXPECT_EQ(unshards[stage], 1);
          if (action.type == ActionType::kBackward) ++backwards[stage];
          rest.push_back(action);
        }
      }
      EXPECT_EQ(rest, plain.ranks[rank]);
      EXPECT_EQ(reshards.size(), static_cast<std::size_t>(chunks));
    }
  }
}

}  // namespace
}  // namespace hyperpp::pipeline

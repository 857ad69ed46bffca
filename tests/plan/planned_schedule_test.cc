#include "hyperpp/plan/planned_schedule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/plan/tiny_model.h"

namespace hyperpp::plan {
namespace {

using ::testing::ElementsAre;

// Without embedding and head, so that stages of equal layers cost the same.
TrainPlan EvenPlan(const std::vector<std::string>& settings) {
  TrainPlan plan = PlanOf(Pipelined(4, settings), 4, DenseModel(8));
  for (StagePlan& stage : plan.stages)
    stage.flops_per_token = 10.0 * static_cast<double>(stage.layers.num_layers);
  return plan;
}

TEST(PlannedScheduleTest, EqualStagesHaveTheBubbleOfTheFormula) {
  for (const char* split : {"[2, 2, 2, 2]", "[[1, 1, 1, 1], [1, 1, 1, 1]]"}) {
    const bool chunks = split[1] == '[';
    const TrainPlan plan =
        EvenPlan({std::string("pipeline.split=") + split,
                  std::string("pipeline.schedule=") + (chunks ? "interleaved1f1b" : "1f1b")});
    const PlannedSchedule planned = PlanSchedule(plan);
    EXPECT_DOUBLE_EQ(plan.bubble_fraction, chunks ? 3.0 / 19 : 3.0 / 11);
    EXPECT_NEAR(BubbleFraction(planned.timeline), plan.bubble_fraction, 1e-12);
    const pipeline::TimedAction &first = planned.timeline.ranks[0].front(),
                                &last = planned.timeline.ranks[0].back();
    EXPECT_DOUBLE_EQ(first.end - first.start, 1) << "a mean forward pass";
    EXPECT_DOUBLE_EQ(last.end - last.start, 2) << "a backward pass";
  }
}

TEST(PlannedScheduleTest, UnequalStagesMakeTheOthersWait) {
  const PlannedSchedule planned =
      PlanSchedule(EvenPlan({"pipeline.split=[1, 1, 1, 5]", "pipeline.schedule=gpipe"}));
  const auto bubble = [&](int rank) { return BubbleFraction(planned.timeline, rank); };
  // The last rank works 8 * (2.5 + 5), and waits for 3 * (0.5 + 1).
  EXPECT_NEAR(bubble(3), 4.5 / 64.5, 1e-12);
  EXPECT_NEAR(bubble(0), 1 - 8 * 1.5 / 64.5, 1e-12);
}

TEST(PlannedScheduleTest, BlockingMessagesAreSimulatedAsSuch) {
  const auto time = [](const char* overlap) {
    return Makespan(PlanSchedule(EvenPlan({std::string("pipeline.p2p_overlap=") + overlap,
                                           "pipeline.split=[1, 3, 3, 1]"}))
                        .timeline);
  };
  EXPECT_GT(time("false"), time("true"));
}

TEST(PlannedScheduleTest, PeakInFlightIsThatOfTheGeneratedSchedule) {
  EXPECT_THAT(PlanSchedule(EvenPlan({})).peak_in_flight, ElementsAre(4, 3, 2, 1));
  EXPECT_THAT(PlanSchedule(EvenPlan({"pipeline.schedule=gpipe"})).peak_in_flight,
              ElementsAre(8, 8, 8, 8));
}

TEST(PlannedScheduleTest, ShardedStagesGatherAndReduce) {
  const auto last_of = [](const char* shards, int world) {
    const TrainPlan plan =
        PlanOf(Pipelined(2, {std::string("accelerator.dp_shard_size=") + shards}), world);
    return FormatAction(PlanSchedule(plan).schedule.ranks[1].back());
  };
  EXPECT_EQ(last_of("1", 2), "1SEND_B7");
  EXPECT_EQ(last_of("2", 4), "1SEND_B3");
  const TrainPlan plan = PlanOf(Pipelined(2, {"accelerator.dp_shard_size=2"}), 4);
  EXPECT_EQ(FormatAction(PlanSchedule(plan).schedule.ranks[0].front()), "0UNSHARD");
  EXPECT_EQ(FormatAction(PlanSchedule(plan).schedule.ranks[0].back()), "0RESHARD");
}

TEST(PlannedScheduleTest, StagesOfARealModelWeighTheHead) {
  const TrainPlan plan = PlanOf(Pipelined(4), 4);
  EXPECT_GT(BubbleFraction(PlanSchedule(plan).timeline), plan.bubble_fraction);
}

}  // namespace
}  // namespace hyperpp::plan

#include "hyperpp/optim/lr_schedule.h"

#include <gtest/gtest.h>

namespace hyperpp::optim {
namespace {

config::LrSchedulerSection Schedule(config::LrSchedule type, int64_t warmup,
                                    std::optional<int64_t> decay = {}) {
  config::LrSchedulerSection schedule;
  schedule.type = type;
  schedule.warmup_steps = warmup;
  schedule.decay_steps = decay;
  schedule.min_lr_ratio = 0.1;
  return schedule;
}

TEST(LrScheduleTest, WarmupGrowsLinearlyToThePeak) {
  for (const auto type : {config::LrSchedule::kConstant, config::LrSchedule::kLinear,
                          config::LrSchedule::kCosine, config::LrSchedule::kWsd}) {
    const auto schedule = Schedule(type, 4, 3);
    EXPECT_DOUBLE_EQ(LearningRate(schedule, 2.0, 1, 20), 0.5);
    EXPECT_DOUBLE_EQ(LearningRate(schedule, 2.0, 4, 20), 2.0);
  }
}

TEST(LrScheduleTest, DecayEndsAtTheLowestRateAndStaysThere) {
  for (const auto type : {config::LrSchedule::kLinear, config::LrSchedule::kCosine}) {
    const auto schedule = Schedule(type, 2, 8);
    EXPECT_DOUBLE_EQ(LearningRate(schedule, 1.0, 6, 20), 0.55);
    EXPECT_DOUBLE_EQ(LearningRate(schedule, 1.0, 10, 20), 0.1);
    EXPECT_DOUBLE_EQ(LearningRate(schedule, 1.0, 15, 20), 0.1);
  }
}

TEST(LrScheduleTest, DecayStepsDefaultToTheStepsAfterWarmup) {
  EXPECT_DOUBLE_EQ(LearningRate(Schedule(config::LrSchedule::kLinear, 2), 1.0, 12, 12), 0.1);
  EXPECT_DOUBLE_EQ(LearningRate(Schedule(config::LrSchedule::kLinear, 2), 1.0, 7, 12), 0.55);
}

TEST(LrScheduleTest, WsdDecaysOverTheLastStepsOnly) {
  const auto schedule = Schedule(config::LrSchedule::kWsd, 2, 4);
  EXPECT_DOUBLE_EQ(LearningRate(schedule, 1.0, 16, 20), 1.0);
  EXPECT_DOUBLE_EQ(LearningRate(schedule, 1.0, 18, 20), 0.55);
  EXPECT_DOUBLE_EQ(LearningRate(schedule, 1.0, 20, 20), 0.1);
}

TEST(LrScheduleTest, ConstantStaysAtThePeak) {
  EXPECT_DOUBLE_EQ(LearningRate(Schedule(config::LrSchedule::kConstant, 0), 3.0, 1, 5), 3.0);
  EXPECT_DOUBLE_EQ(LearningRate(Schedule(config::LrSchedule::kConstant, 0), 3.0, 5, 5), 3.0);
}

}  // namespace
}  // namespace hyperpp::optim

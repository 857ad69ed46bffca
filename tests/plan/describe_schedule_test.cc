#include "hyperpp/plan/describe_schedule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/plan/tiny_model.h"

namespace hyperpp::plan {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// Forward passes a = 0.478 and b = 0.522 of the model: the step takes 3 a + 6 b, and the ranks work
// 6 a and 6 b of it.
TEST(DescribeScheduleTest, GridStandsAboveWhatEachRankWaitsAndHolds) {
  const std::string text =
      DescribeSchedule(PlanSchedule(PlanOf(Pipelined(2, {"pipeline.pp_microbatch_size=4"}), 2)));
  EXPECT_EQ(text,
            "schedule (a column is a tick: all passes equally long, messages free)\n"
            "        0   1   2   3   4   5\n"
            "rank 0  0F0 0F1 .   0B0 .   0B1\n"
            "rank 1  .   1F0 1B0 1F1 1B1 .\n"
            "\n"
            "pp rank  bubble  in flight  (simulated with the stages' costs; passes of a microbatch "
            "through a stage)\n"
            "      0  37.3 %          2\n"
            "      1  31.3 %          1\n");
}

TEST(DescribeScheduleTest, LongGridIsCutAndSaysSo) {
  const auto text = [](int microbatches) {
    return DescribeSchedule(PlanSchedule(
        PlanOf(Pipelined(4, {"training.global_batch_size=" + std::to_string(microbatches)}), 4)));
  };
  EXPECT_THAT(text(64), HasSubstr("... 62 more ticks\n"));
  EXPECT_THAT(text(16), Not(HasSubstr("more ticks")));
}

TEST(DescribeScheduleTest, PictureIsThatOfTheSimulatedTimes) {
  const PlannedSchedule planned = PlanSchedule(PlanOf(Pipelined(2), 2));
  const std::string svg = DrawSchedule(planned);
  EXPECT_THAT(svg, HasSubstr("1f1b: 2 ranks, 1 chunk, 8 microbatches, bubble"));
  EXPECT_THAT(svg, HasSubstr("time in mean forward passes of a stage"));
  EXPECT_THAT(svg, HasSubstr("<title>1B7 "));
}

TEST(DescribeScheduleTest, JsonHasTheSameFactsAndEveryAction) {
  const TrainPlan plan = PlanOf(Pipelined(2, {"pipeline.pp_microbatch_size=4"}), 2);
  const nlohmann::json json = ScheduleJson(plan, PlanSchedule(plan));
  EXPECT_EQ(json["schedule"], "1f1b");
  EXPECT_EQ(json["num_chunks"], 1);
  EXPECT_EQ(json["num_microbatches"], 2);
  EXPECT_DOUBLE_EQ(json["bubble_fraction"], 1.0 / 3);
  const double mean = (json["ranks"][0]["bubble_fraction"].get<double>() +
                       json["ranks"][1]["bubble_fraction"].get<double>()) /
                      2;
  EXPECT_DOUBLE_EQ(json["simulated_bubble_fraction"], mean);
  EXPECT_EQ(json["ranks"][0]["in_flight_passes"], 2);
  EXPECT_EQ(json["ranks"][1]["in_flight_passes"], 1);
  EXPECT_EQ(json["ranks"][1]["actions"],
            nlohmann::json::parse(R"(["1RECV_F0", "1F0", "1RECV_F1", "1B0", "1SEND_B0", "1F1",
                                      "1B1", "1SEND_B1"])"));
}

}  // namespace
}  // namespace hyperpp::plan

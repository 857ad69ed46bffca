#include "hyperpp/plan/measured_step.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hyperpp/core/trace.h"
#include "hyperpp/plan/planned_schedule.h"
#include "tests/plan/tiny_model.h"
#include "tests/support/error_text.h"
#include "tests/support/temporary_folder.h"

namespace hyperpp::plan {
namespace {

using ::testing::HasSubstr;

// Two pipeline ranks with two microbatches.
TrainPlan SmallPlan() { return PlanOf(Pipelined(2, {"pipeline.pp_microbatch_size=4"}), 2); }

// Runs the plan's schedule on paper: forward passes of 10 ms, backward passes of 20 ms, and `late`
// ms before each backward pass of rank 0.
std::string WriteTraces(const test::TemporaryFolder& folder, const TrainPlan& plan, int64_t late,
                        const std::vector<int64_t>& steps = {3}) {
  const PlannedSchedule planned = PlanSchedule(plan);
  const pipeline::Timeline timeline =
      Simulate(planned.schedule, pipeline::UniformDurations(planned.schedule.shape, 10.0, 20.0));
  for (size_t rank = 0; rank < timeline.ranks.size(); ++rank) {
    Trace trace;
    for (const int64_t step : steps) {
      const int64_t begin = step * 1'000;
      int64_t shift = 0;
      const auto add = [&](TraceLane lane, const std::string& text, int64_t from, int64_t to) {
        trace.Add({lane, text, (begin + from) * 1'000'000, (begin + to) * 1'000'000, {}});
      };
      for (const pipeline::TimedAction& timed : timeline.ranks[rank]) {
        if (!IsCompute(timed.action.type)) continue;
        if (rank == 0 && timed.action.type == pipeline::ActionType::kBackward) shift += late;
        add(TraceLane::kCompute, FormatAction(timed.action),
            static_cast<int64_t>(timed.start) + shift, static_cast<int64_t>(timed.end) + shift);
      }
      trace.Add({TraceLane::kStep,
                 "step",
                 (begin - 1) * 1'000'000,
                 (begin + 500) * 1'000'000,
                 {{"step", step}}});
    }
    trace.Write((folder / ("rank_" + std::to_string(rank) + ".json")).string(),
                static_cast<int>(rank), "rank");
  }
  return folder.path().string();
}

TEST(MeasuredStepTest, StepThatRunsAsSimulatedHasTheSameBubble) {
  const test::TemporaryFolder temporary;
  const TrainPlan plan = SmallPlan();
  const MeasuredStep measured = ReadMeasuredStep(plan, WriteTraces(temporary, plan, 0), {});
  EXPECT_EQ(measured.step, 3);
  EXPECT_NEAR(Makespan(measured.measured), 90, 1e-6);
  for (const int rank : {0, 1}) {
    EXPECT_NEAR(BubbleFraction(measured.measured, rank), 1.0 / 3, 1e-6);
    EXPECT_NEAR(BubbleFraction(measured.simulated, rank), 1.0 / 3, 1e-6);
  }
}

TEST(MeasuredStepTest, OtherWaitsAreSeenBesideTheSimulation) {
  const test::TemporaryFolder temporary;
  const TrainPlan plan = SmallPlan();
  const MeasuredStep measured = ReadMeasuredStep(plan, WriteTraces(temporary, plan, 5), {});
  const std::string text = DescribeMeasuredStep(measured);
  EXPECT_THAT(text,
              HasSubstr("measured in step 3: 100.0 ms from the first pass to the last; 90.0 ms "
                        "simulated"));
  EXPECT_THAT(text, HasSubstr("      0  40.0 %     33.3 %\n      1  40.0 %     33.3 %\n"));
  const nlohmann::json json = MeasuredStepJson(measured);
  EXPECT_EQ(json["step"], 3);
  EXPECT_NEAR(json["milliseconds"].get<double>(), 100, 1e-6);
  EXPECT_NEAR(json["simulated_milliseconds"].get<double>(), 90, 1e-6);
  EXPECT_NEAR(json["ranks"][1]["bubble_fraction"].get<double>(), 0.4, 1e-6);
  EXPECT_NEAR(json["simulated_bubble_fraction"].get<double>(), 1.0 / 3, 1e-6);
}

TEST(MeasuredStepTest, LastStepIsTakenUnlessOneIsNamed) {
  const test::TemporaryFolder temporary;
  const TrainPlan plan = SmallPlan();
  const std::string folder = WriteTraces(temporary, plan, 0, {3, 4});
  EXPECT_EQ(ReadMeasuredStep(plan, folder, {}).step, 4);
  EXPECT_EQ(ReadMeasuredStep(plan, folder, 3).step, 3);
  EXPECT_THROW(ReadMeasuredStep(plan, folder, 5), InputError);
}

TEST(MeasuredStepTest, PictureShowsTheMeasuredPasses) {
  const test::TemporaryFolder temporary;
  const TrainPlan plan = SmallPlan();
  const std::string svg =
      DrawMeasuredStep(ReadMeasuredStep(plan, WriteTraces(temporary, plan, 5), {}));
  EXPECT_THAT(svg, HasSubstr("1f1b, measured in step 3: 2 ranks, 1 chunk, 2 microbatches, bubble "
                             "40.0 %"));
  EXPECT_THAT(svg, HasSubstr("<title>0B0 45 to 65 ms</title>"));
}

TEST(MeasuredStepTest, ReplicasOfAPipelineAreMeasuredOnTheFirst) {
  const test::TemporaryFolder temporary;
  const TrainPlan plan =
      PlanOf(Pipelined(2, {"pipeline.pp_microbatch_size=2", "accelerator.dp_replicate_size=2"}), 4);
  const std::string folder = WriteTraces(temporary, plan, 0);
  EXPECT_THROW(ReadMeasuredStep(plan, folder, {}), IoError) << "rank 2 holds pipeline rank 1";
  std::filesystem::rename(folder + "/rank_1.json", folder + "/rank_2.json");
  EXPECT_EQ(ReadMeasuredStep(plan, folder, {}).step, 3);
}

TEST(MeasuredStepTest, TraceOfAnotherScheduleIsRefused) {
  const test::TemporaryFolder temporary;
  const std::string folder = WriteTraces(temporary, SmallPlan(), 0);
  const TrainPlan plan = PlanOf(Pipelined(2, {"pipeline.pp_microbatch_size=2"}), 2);
  EXPECT_THAT(test::ErrorText<InputError>([&] { ReadMeasuredStep(plan, folder, {}); }),
              HasSubstr("rank_0.json: step 3 did not run 0F2 of the plan"));
}

}  // namespace
}  // namespace hyperpp::plan

#include "hyperpp/plan/describe_schedule.h"

#include <fmt/format.h>

#include "hyperpp/pipeline/schedule/grid_text.h"
#include "hyperpp/pipeline/schedule/schedule_svg.h"

namespace hyperpp::plan {
namespace {

// Four ranks with eight microbatches fit in one block; four blocks show warmup and steady state of
// larger ones.
constexpr pipeline::GridLimits kGridLimits = {.line_width = 100, .num_blocks = 4};

nlohmann::json ActionsJson(const pipeline::RankActions& actions) {
  nlohmann::json json = nlohmann::json::array();
  for (const pipeline::Action& action : actions) json.push_back(pipeline::FormatAction(action));
  return json;
}

}  // namespace

std::string DescribeSchedule(const PlannedSchedule& planned) {
  std::string text = "schedule (a column is a tick: all passes equally long, messages free)\n" +
                     FormatGrid(planned.schedule, kGridLimits) +
                     "\npp rank  bubble  in flight  (simulated with the stages' costs; passes of a "
                     "microbatch through a stage)\n";
  for (size_t rank = 0; rank < planned.peak_in_flight.size(); ++rank) {
    text += fmt::format("{:>7}  {:>4.1f} %  {:>9}\n", rank,
                        100 * BubbleFraction(planned.timeline, static_cast<int>(rank)),
                        planned.peak_in_flight[rank]);
  }
  return text;
}

std::string DrawSchedule(const PlannedSchedule& planned) {
  return DrawTimeline(planned.timeline, {.time_unit = "mean forward passes of a stage"});
}

nlohmann::json ScheduleJson(const TrainPlan& plan, const PlannedSchedule& planned) {
  nlohmann::json ranks = nlohmann::json::array();
  for (size_t rank = 0; rank < planned.peak_in_flight.size(); ++rank) {
    ranks.push_back({{"bubble_fraction", BubbleFraction(planned.timeline, static_cast<int>(rank))},
                     {"in_flight_passes", planned.peak_in_flight[rank]},
                     {"actions", ActionsJson(planned.schedule.ranks[rank])}});
  }
  return {{"schedule", plan.schedule},
          {"num_chunks", planned.schedule.shape.num_chunks},
          {"num_microbatches", planned.schedule.shape.num_microbatches},
          {"bubble_fraction", plan.bubble_fraction},
          {"simulated_bubble_fraction", BubbleFraction(planned.timeline)},
          {"ranks", std::move(ranks)}};
}

}  // namespace hyperpp::plan

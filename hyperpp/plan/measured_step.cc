#include "hyperpp/plan/measured_step.h"

#include <vector>

#include <fmt/format.h>

#include "hyperpp/core/error.h"
#include "hyperpp/core/trace.h"
#include "hyperpp/pipeline/schedule/measured_timeline.h"
#include "hyperpp/pipeline/schedule/schedule_svg.h"
#include "hyperpp/plan/planned_schedule.h"

namespace hyperpp::plan {
namespace {

std::vector<pipeline::RankTrace> ReadTraces(const TrainPlan& plan, const std::string& folder) {
  std::vector<pipeline::RankTrace> traces;
  for (const int rank : plan.mesh.GroupOf(0, {Axis::kPipeline})) {
    const std::string path = fmt::format("{}/rank_{}.json", folder, rank);
    traces.push_back({path, ReadTrace(path)});
  }
  return traces;
}

}  // namespace

MeasuredStep ReadMeasuredStep(const TrainPlan& plan, const std::string& folder,
                              std::optional<int64_t> step) {
  const PlannedSchedule planned = PlanSchedule(plan);
  const std::vector<pipeline::RankTrace> traces = ReadTraces(plan, folder);
  if (!step) {
    const std::vector<int64_t> steps = pipeline::RecordedSteps(traces);
    if (steps.empty())
      throw InputError(fmt::format(
          "{}: the traces of the {} pipeline ranks have no step in common; name the trace folder "
          "of one run",
          folder, traces.size()));
    step = steps.back();
  }
  MeasuredStep measured{.step = *step, .measured = {}, .simulated = {}};
  measured.measured = pipeline::MeasuredTimeline(traces, *step, planned.schedule);
  measured.simulated = pipeline::Simulate(
      planned.schedule, pipeline::MeanDurations(measured.measured), TransferOf(plan));
  return measured;
}

std::string DescribeMeasuredStep(const MeasuredStep& measured) {
  std::string text = fmt::format(
      "measured in step {}: {:.1f} ms from the first pass to the last; {:.1f} ms simulated with "
      "the "
      "mean durations\npp rank  bubble  simulated\n",
      measured.step, Makespan(measured.measured), Makespan(measured.simulated));
  for (size_t rank = 0; rank < measured.measured.ranks.size(); ++rank) {
    text += fmt::format("{:>7}  {:>4.1f} %  {:>7.1f} %\n", rank,
                        100 * BubbleFraction(measured.measured, static_cast<int>(rank)),
                        100 * BubbleFraction(measured.simulated, static_cast<int>(rank)));
  }
  return text;
}

std::string DrawMeasuredStep(const MeasuredStep& measured) {
  const pipeline::ScheduleShape& shape = measured.measured.shape;
  return DrawTimeline(measured.measured,
                      {.title = fmt::format(
                           "{}, measured in step {}: {} ranks, {} chunk{}, {} microbatches, bubble "
                           "{:.1f} %",
                           measured.measured.name, measured.step, shape.num_ranks, shape.num_chunks,
                           shape.num_chunks == 1 ? "" : "s", shape.num_microbatches,
                           100 * BubbleFraction(measured.measured)),
                       .time_unit = "ms"});
}

nlohmann::json MeasuredStepJson(const MeasuredStep& measured) {
  nlohmann::json ranks = nlohmann::json::array();
  for (size_t rank = 0; rank < measured.measured.ranks.size(); ++rank) {
    const auto index = static_cast<int>(rank);
    ranks.push_back({{"bubble_fraction", BubbleFraction(measured.measured, index)},
                     {"simulated_bubble_fraction", BubbleFraction(measured.simulated, index)}});
  }
  return {{"step", measured.step},
          {"milliseconds", Makespan(measured.measured)},
          {"simulated_milliseconds", Makespan(measured.simulated)},
          {"bubble_fraction", BubbleFraction(measured.measured)},
          {"simulated_bubble_fraction", BubbleFraction(measured.simulated)},
          {"ranks", std::move(ranks)}};
}

}  // namespace hyperpp::plan

#include "hyperpp/plan/planned_schedule.h"

#include "hyperpp/core/error.h"
#include "hyperpp/pipeline/schedule/in_flight.h"
#include "hyperpp/pipeline/schedule/insert_sharding.h"
#include "hyperpp/pipeline/schedule/schedules.h"

namespace hyperpp::plan {
namespace {

constexpr double kBackwardPerForward = 2;  // gradients of inputs and of weights

pipeline::ActionDurations DurationsOf(const TrainPlan& plan) {
  double sum = 0;
  for (const StagePlan& stage : plan.stages) sum += stage.flops_per_token;
  const double mean = sum / static_cast<double>(plan.stages.size());
  pipeline::ActionDurations durations;
  for (const StagePlan& stage : plan.stages) {
    durations.forward.push_back(stage.flops_per_token / mean);
    durations.backward.push_back(kBackwardPerForward * durations.forward.back());
  }
  return durations;
}

}  // namespace

pipeline::ScheduleShape ShapeOf(const TrainPlan& plan) {
  const int num_chunks = plan.stages.empty() ? 1 : plan.stages.back().layers.chunk + 1;
  return {plan.mesh.Degree(Axis::kPipeline), num_chunks,
          static_cast<int>(plan.batch.num_microbatches)};
}

pipeline::Transfer TransferOf(const TrainPlan& plan) {
  return plan.p2p_overlap ? pipeline::Transfer::kOverlapped : pipeline::Transfer::kBlocking;
}

PlannedSchedule PlanSchedule(const TrainPlan& plan) {
  HYPERPP_CHECK(!plan.schedule.empty(), "a plan without a pipeline has no schedule");
  PlannedSchedule planned{.schedule = pipeline::MakeSchedule(plan.schedule, ShapeOf(plan))};
  if (plan.mesh.Degree(Axis::kShard) > 1)
    planned.schedule = pipeline::InsertSharding(planned.schedule);
  planned.peak_in_flight = pipeline::PeakInFlight(planned.schedule);
  planned.timeline = pipeline::Simulate(planned.schedule, DurationsOf(plan), TransferOf(plan));
  return planned;
}

}  // namespace hyperpp::plan

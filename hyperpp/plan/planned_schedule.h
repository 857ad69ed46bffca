// The schedule of a plan, and how it would run on ranks that do nothing else.
//
// A pass of a stage takes as long as its floating-point operations say, a backward pass twice a
// forward pass, and messages are free. One unit of time is the mean forward pass of all stages.
// With equal stages the simulated bubble is the formula's (stages.h, BubbleFraction); what lies
// above it comes from stages that are not equal (the head, a split that does not fit), or from
// ranks that stand still while a message waits (p2p_overlap: false).
#pragma once

#include <vector>

#include "hyperpp/pipeline/schedule/schedule.h"
#include "hyperpp/pipeline/schedule/simulator.h"
#include "hyperpp/pipeline/schedule/timeline.h"
#include "hyperpp/plan/train_plan.h"

namespace hyperpp::plan {

struct PlannedSchedule {
  pipeline::Schedule schedule = {};      // with messages, and what sharded stages do
  std::vector<int> peak_in_flight = {};  // passes, of each pipeline rank
  pipeline::Timeline timeline = {};      // in mean forward passes
};

/// Pipeline ranks, chunks and microbatches of a plan; one chunk without a pipeline.
pipeline::ScheduleShape ShapeOf(const TrainPlan& plan);

/// How messages take part when the plan's schedule is simulated.
pipeline::Transfer TransferOf(const TrainPlan& plan);

/// Generates and simulates the schedule of `plan`.
/// REQUIRES: the plan has a pipeline.
PlannedSchedule PlanSchedule(const TrainPlan& plan);

}  // namespace hyperpp::plan

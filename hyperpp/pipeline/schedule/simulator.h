// Predicts when each action of a schedule runs, from the time that each stage needs.
//
// A rank runs its actions in order, each as early as it can: after the rank's previous action and
// after what it consumes has arrived. Two ways to communicate are modelled:
//
//     overlapped   a message travels while both ranks go on; it arrives `latency` after its send.
//                  A schedule without messages is simulated as if each result were sent at once.
//     blocking     sender and receiver both stand still from when each of them reaches the message
//                  until `latency` after the later one did.
//
// UNSHARD, RESHARD and REDUCE_GRAD take no time here.
#pragma once

#include <vector>

#include "hyperpp/pipeline/schedule/schedule.h"
#include "hyperpp/pipeline/schedule/timeline.h"

namespace hyperpp::pipeline {

/// In one unit of time, which is then that of the timeline.
struct ActionDurations {
  std::vector<double> forward;   // of each stage
  std::vector<double> backward;  // of each stage
  double latency = 0;            // of a message between ranks
};

/// Returns the same durations for every stage of `shape`.
ActionDurations UniformDurations(const ScheduleShape& shape, double forward, double backward,
                                 double latency = 0);

enum class Transfer { kOverlapped, kBlocking };

/// Returns start and end of every action, from time 0.
/// REQUIRES: the schedule is valid (validator.h); kBlocking needs one with messages.
/// Errors: InternalError if the schedule cannot be finished.
Timeline Simulate(const Schedule& schedule, const ActionDurations& durations,
                  Transfer transfer = Transfer::kOverlapped);

}  // namespace hyperpp::pipeline

// A timeline from what the pipeline's ranks recorded while they ran one step (core/trace.h).
//
//     lane step          |                     step 3                     |
//          compute         |0F0|0F1|       |0B0|0B1|   |optimizer|
//          communication       |0SEND_F0  |0RECV_B0                          started
//          wait                        |0RECV_B0|                            waited for
//     timeline             |0F0|0F1|   --  |0B0|0B1|
//
// The step's spans that are named after actions become timed actions; a message may have two, one
// where it was started and one where it was waited for. The timeline runs from the first pass of
// any rank to the last one: what ranks do around it (reading the batch, the optimizer) is no part
// of the schedule. The forward passes of an evaluation inside the step come later and are left out.
//
// Starts of different ranks are compared, so all must come from one clock: ranks of one host.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hyperpp/core/trace.h"
#include "hyperpp/pipeline/schedule/schedule.h"
#include "hyperpp/pipeline/schedule/simulator.h"
#include "hyperpp/pipeline/schedule/timeline.h"

namespace hyperpp::pipeline {

/// What one pipeline rank recorded.
struct RankTrace {
  std::string source;  // for messages: the file
  std::vector<TraceEvent> events;
};

/// Returns the steps that all ranks recorded, ascending.
std::vector<int64_t> RecordedSteps(const std::vector<RankTrace>& traces);

/// Returns when each action of `schedule` ran in `step`, in milliseconds from the first pass.
/// `traces`: one for each pipeline rank, in order.
/// Errors: InputError naming the file, if it lacks the step or a pass of it, or has a pass that the
///         schedule has not: then it was recorded with another configuration.
Timeline MeasuredTimeline(const std::vector<RankTrace>& traces, int64_t step,
                          const Schedule& schedule);

/// Returns the mean duration of each stage's forward and backward passes, with no latency.
/// REQUIRES: every stage has both.
ActionDurations MeanDurations(const Timeline& timeline);

}  // namespace hyperpp::pipeline

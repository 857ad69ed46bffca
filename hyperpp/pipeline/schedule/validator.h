// Proves that a schedule can be run and computes each gradient once.
//
//   complete   every stage runs every microbatch forward and backward once, on its rank; if there
//   are
//              messages, every result that another rank consumes is sent and received once
//   ordered    backward after forward; receive before use; send after compute
//   no deadlock   a replay in which a send waits for its receive and a receive for its send ends.
//              Ranks that wait only for a fixed partner end in the same state whatever the timing,
//              so one replay decides for all; with buffered sends the schedule runs too
//   bounded    no rank holds more passes in flight than it may
//
// A violation is reported with the rank, the position in its list and a drawing:
//
//     rank 1: 1f1b position 1, action 1B0: stands before 1F0 at position 2, which it needs; ...
//       rank 0   0F0   0F1   0B0   0B1
//     > rank 1   1F1  [1B0]  1F0   1B1
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "hyperpp/pipeline/schedule/schedule.h"

namespace hyperpp::pipeline {

struct Violation {
  int rank = 0;
  int position = 0;  // in the rank's list; its length if something is missing
  std::string fact;  // "<fact>; <what to do>"
};

/// Returns the first violation: rules in the order above, ranks and positions ascending.
/// `in_flight_bounds`: the largest number of passes in flight of each rank; empty to allow any.
std::optional<Violation> FindViolation(const Schedule& schedule,
                                       const std::vector<int>& in_flight_bounds = {});

/// Refuses a schedule with a violation.
/// Errors: PlanError with rank, position, action, fact and drawing.
void ValidateSchedule(const Schedule& schedule, const std::vector<int>& in_flight_bounds = {});

}  // namespace hyperpp::pipeline

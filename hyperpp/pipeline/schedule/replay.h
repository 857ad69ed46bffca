// Runs through a schedule without times, to see whether it ends.
//
// A send waits until its receiver stands at the receive, and the other way round (rendezvous). In a
// schedule without messages a compute action waits for the one that it consumes. The first action
// of each rank's rest is looked at, over and over, until all lists are empty or no rank can go on:
//
//     rank 0   [0SEND_F2]  0RECV_B1     waits for 1RECV_F2 of rank 1
//     rank 1   [1SEND_B1]  1RECV_F2     waits for 0RECV_B1 of rank 0
//
// Cost: each list is walked once; each step looks at no more than all ranks.
#pragma once

#include <optional>
#include <string>

#include "hyperpp/pipeline/schedule/schedule.h"

namespace hyperpp::pipeline {

/// The first rank of a circle of ranks that wait for each other.
struct Deadlock {
  int rank = 0;
  int position = 0;  // of the action at which it waits
  std::string fact;  // who waits for what; what to do
};

/// Returns a circle of waiting ranks, or nothing if the schedule ends.
/// REQUIRES: the schedule is complete and each rank's list is ordered (validator.h).
std::optional<Deadlock> FindDeadlock(const Schedule& schedule);

}  // namespace hyperpp::pipeline

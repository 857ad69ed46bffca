// When each action of a schedule ran: simulated or measured, in any unit of time.
//
//     rank 0  |0F0|0F1|       |0B0|0B1|        busy 4 of 6: bubble 1/3
//     rank 1      |1F0|1B0|1F1|1B1|            busy 4 of 6: bubble 1/3
//
// Busy is compute alone; a rank that waits or communicates without computing is in the bubble.
#pragma once

#include <string>
#include <vector>

#include "hyperpp/pipeline/schedule/schedule.h"

namespace hyperpp::pipeline {

struct TimedAction {
  Action action;
  double start = 0;
  double end = 0;
};

struct Timeline {
  std::string name;
  ScheduleShape shape;
  std::vector<std::vector<TimedAction>> ranks;  // in the order of execution
};

/// Returns the time from the first start to the last end over all ranks.
double Makespan(const Timeline& timeline);

/// Returns the share of the makespan in which `rank` does not compute.
double BubbleFraction(const Timeline& timeline, int rank);

/// Returns the mean of the ranks' bubble fractions.
double BubbleFraction(const Timeline& timeline);

}  // namespace hyperpp::pipeline

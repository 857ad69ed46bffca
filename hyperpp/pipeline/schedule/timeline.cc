#include "hyperpp/pipeline/schedule/timeline.h"

#include <algorithm>
#include <limits>

namespace hyperpp::pipeline {

double Makespan(const Timeline& timeline) {
  double first = std::numeric_limits<double>::infinity(), last = -first;
  for (const auto& actions : timeline.ranks) {
    for (const TimedAction& timed : actions) {
      first = std::min(first, timed.start);
      last = std::max(last, timed.end);
    }
  }
  return std::max(last - first, 0.0);
}

double BubbleFraction(const Timeline& timeline, int rank) {
  const double makespan = Makespan(timeline);
  if (makespan == 0) return 0;
  double busy = 0;
  for (const TimedAction& timed : timeline.ranks[static_cast<size_t>(rank)]) {
    if (IsCompute(timed.action.type)) busy += timed.end - timed.start;
  }
  return 1 - busy / makespan;
}

double BubbleFraction(const Timeline& timeline) {
  const int num_ranks = static_cast<int>(timeline.ranks.size());
  double sum = 0;
  for (int rank = 0; rank < num_ranks; ++rank) sum += BubbleFraction(timeline, rank);
  return num_ranks == 0 ? 0 : sum / num_ranks;
}

}  // namespace hyperpp::pipeline

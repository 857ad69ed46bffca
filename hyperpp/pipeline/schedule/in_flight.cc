#include "hyperpp/pipeline/schedule/in_flight.h"

#include <algorithm>

namespace hyperpp::pipeline {

std::vector<int> PeakInFlight(const Schedule& schedule) {
  std::vector<int> peaks;
  for (const RankActions& actions : schedule.ranks) {
    int in_flight = 0, peak = 0;
    for (const Action& action : actions) {
      if (action.type == ActionType::kForward) peak = std::max(peak, ++in_flight);
      if (action.type == ActionType::kBackward) --in_flight;
    }
    peaks.push_back(peak);
  }
  return peaks;
}

}  // namespace hyperpp::pipeline

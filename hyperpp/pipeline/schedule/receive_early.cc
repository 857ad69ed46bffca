#include "hyperpp/pipeline/schedule/receive_early.h"

#include <algorithm>
#include <utility>

namespace hyperpp::pipeline {
namespace {

RankActions ReceiveEarlyOn(const RankActions& actions) {
  RankActions early;
  std::size_t last_compute = 0;  // place in `early` of the newest compute action, if any
  bool has_computed = false;
  for (const Action& action : actions) {
    if (IsReceive(action.type) && has_computed) {
      early.insert(early.begin() + static_cast<std::ptrdiff_t>(last_compute), action);
      ++last_compute;
      continue;
    }
    if (IsCompute(action.type)) {
      last_compute = early.size();
      has_computed = true;
    }
    early.push_back(action);
  }
  return early;
}

}  // namespace

Schedule ReceiveEarly(Schedule schedule) {
  for (RankActions& actions : schedule.ranks) actions = ReceiveEarlyOn(actions);
  return schedule;
}

}  // namespace hyperpp::pipeline

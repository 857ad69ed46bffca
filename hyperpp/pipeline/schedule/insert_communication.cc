#include "hyperpp/pipeline/schedule/insert_communication.h"

#include <algorithm>
#include <tuple>
#include <vector>

#include <fmt/format.h>

#include "hyperpp/core/error.h"
#include "hyperpp/pipeline/schedule/dependencies.h"
#include "hyperpp/pipeline/schedule/simulator.h"
#include "hyperpp/pipeline/schedule/validator.h"

namespace hyperpp::pipeline {
namespace {

// An entry of the common order: an action that starts, or a message that becomes ready.
struct Event {
  double time = 0;
  bool is_message = false;
  Action action;  // the send of a message
};

// A message comes before an action that starts when it becomes ready: the action may need it.
std::vector<Event> CommonOrder(const Schedule& compute) {
  std::vector<Event> events;
  const Timeline timeline = Simulate(compute, UniformDurations(compute.shape, 1, 2));
  for (const auto& actions : timeline.ranks) {
    for (const TimedAction& timed : actions) {
      events.push_back({timed.start, false, timed.action});
      if (!IsCompute(timed.action.type)) continue;
      if (const auto send = SendAfter(timed.action, compute.shape)) {
        events.push_back({timed.end, true, *send});
      }
    }
  }
  std::stable_sort(events.begin(), events.end(), [](const Event& a, const Event& b) {
    return std::make_tuple(a.time, !a.is_message) < std::make_tuple(b.time, !b.is_message);
  });
  return events;
}

}  // namespace

Schedule InsertCommunication(const Schedule& compute) {
  if (compute.HasCommunication()) {
    throw PlanError(
        fmt::format("schedule {}: has messages already; give compute actions alone", compute.name));
  }
  ValidateSchedule(compute);
  Schedule schedule{compute.name, compute.shape, std::vector<RankActions>(compute.ranks.size())};
  const auto append = [&](const Action& action) {
    schedule.ranks[static_cast<size_t>(compute.shape.RankOf(action.stage))].push_back(action);
  };
  for (const Event& event : CommonOrder(compute)) {
    append(event.action);
    if (event.is_message) append(PartnerOf(event.action));
  }
  return schedule;
}

}  // namespace hyperpp::pipeline

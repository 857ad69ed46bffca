#include "hyperpp/pipeline/schedule/schedules.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "hyperpp/core/error.h"
#include "hyperpp/pipeline/schedule/insert_communication.h"
#include "hyperpp/pipeline/schedule/validator.h"

namespace hyperpp::pipeline {

const ScheduleKind& FindSchedule(std::string_view name) {
  const auto* found = std::find_if(kSchedules.begin(), kSchedules.end(),
                                   [&](const ScheduleKind& kind) { return kind.name == name; });
  if (found == kSchedules.end()) {
    std::vector<std::string_view> names;
    for (const ScheduleKind& kind : kSchedules) names.push_back(kind.name);
    throw PlanError(fmt::format("schedule: no schedule is named {}; use one of {}", name,
                                fmt::join(names, ", ")));
  }
  return *found;
}

Schedule MakeSchedule(std::string_view name, const ScheduleShape& shape) {
  const ScheduleKind& kind = FindSchedule(name);
  Schedule schedule = InsertCommunication(kind.generate(shape));
  std::vector<int> in_flight_bounds;
  for (int rank = 0; rank < shape.num_ranks; ++rank) {
    in_flight_bounds.push_back(kind.in_flight_bound(shape, rank));
  }
  ValidateSchedule(schedule, in_flight_bounds);
  return schedule;
}

}  // namespace hyperpp::pipeline

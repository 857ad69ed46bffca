// The schedules that exist.
#pragma once

#include <array>
#include <string_view>

#include "hyperpp/pipeline/schedule/gpipe.h"
#include "hyperpp/pipeline/schedule/interleaved_1f1b.h"
#include "hyperpp/pipeline/schedule/one_f_one_b.h"

namespace hyperpp::pipeline {

struct ScheduleKind {
  std::string_view name;  // pipeline.schedule of the configuration
  bool interleaved;       // needs two or more chunks; the others run exactly one
  Schedule (*generate)(const ScheduleShape& shape);
  int (*in_flight_bound)(const ScheduleShape& shape, int rank);
};

inline constexpr std::array<ScheduleKind, 3> kSchedules = {{
    {"gpipe", false, GPipe, GPipeInFlight},
    {"1f1b", false, OneFOneB, OneFOneBInFlight},
    {"interleaved1f1b", true, Interleaved1F1B, Interleaved1F1BInFlight},
}};

/// Returns the entry of kSchedules.
/// Errors: PlanError that lists the names.
const ScheduleKind& FindSchedule(std::string_view name);

/// Generates schedule `name` with its messages, and proves it legal within its in-flight bound:
/// what the executor runs. Errors: PlanError if the name or the shape does not fit.
Schedule MakeSchedule(std::string_view name, const ScheduleShape& shape);

}  // namespace hyperpp::pipeline

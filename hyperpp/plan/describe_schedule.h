// The schedule part of `hyperpp plan`: grid, bubble, and what each pipeline rank holds at once.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "hyperpp/plan/planned_schedule.h"
#include "hyperpp/plan/train_plan.h"

namespace hyperpp::plan {

/// Text with the grid, or the beginning of a long one, and a table of the pipeline ranks.
std::string DescribeSchedule(const PlannedSchedule& planned);

/// An SVG picture of the planned timeline.
std::string DrawSchedule(const PlannedSchedule& planned);

/// One JSON object:
///     schedule, num_chunks, num_microbatches,
///     bubble_fraction             by formula, for equal stages
///     simulated_bubble_fraction   with the stages' costs; its mean over ranks
///     ranks [{bubble_fraction (simulated), in_flight_passes, actions ["0F0", "0SEND_F0", ...]}]
nlohmann::json ScheduleJson(const TrainPlan& plan, const PlannedSchedule& planned);

}  // namespace hyperpp::plan

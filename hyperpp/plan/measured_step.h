// A step that ran, beside what the plan predicts for it.
//
// The trace of a run (output.trace) says how long each pass took. Simulating the plan's schedule
// with the mean durations of the passes gives the step as it would be on ranks that wait for each
// other's results and for nothing else. What the measured bubble has on top is the price of
// messages, of passes that are not equally long, and of ranks that share cores.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "hyperpp/pipeline/schedule/timeline.h"
#include "hyperpp/plan/train_plan.h"

namespace hyperpp::plan {

struct MeasuredStep {
  int64_t step = 0;
  pipeline::Timeline measured;   // in milliseconds
  pipeline::Timeline simulated;  // with the measured durations
};

/// Reads FOLDER/rank_R.json of the pipeline's ranks (those of the first replica), and takes `step`
/// or else the last one that all of them recorded.
/// REQUIRES: the plan has a pipeline.
/// Errors: IoError; InputError naming the file, if it is no trace or one of another configuration.
MeasuredStep ReadMeasuredStep(const TrainPlan& plan, const std::string& folder,
                              std::optional<int64_t> step);

/// Text with the bubble of each rank, measured and simulated.
std::string DescribeMeasuredStep(const MeasuredStep& measured);

/// An SVG picture of the measured timeline.
std::string DrawMeasuredStep(const MeasuredStep& measured);

/// One JSON object:
///     step, milliseconds, simulated_milliseconds, bubble_fraction, simulated_bubble_fraction,
///     ranks [{bubble_fraction, simulated_bubble_fraction}]
nlohmann::json MeasuredStepJson(const MeasuredStep& measured);

}  // namespace hyperpp::plan

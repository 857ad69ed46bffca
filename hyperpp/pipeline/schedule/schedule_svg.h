// Draws a simulated or measured timeline as an SVG picture.
//
// One row per rank, time to the right. Forward passes are blue and backward passes orange, darker
// for each further chunk, with the microbatch written in; grey is the bubble. What takes time
// beside compute (messages, gathers, reductions) is a thin bar at the foot of the row. Pointing at
// a bar shows the action with its start and end.
#pragma once

#include <string>

#include "hyperpp/pipeline/schedule/timeline.h"

namespace hyperpp::pipeline {

struct SvgOptions {
  std::string title = {};      // empty: the timeline's name, shape and bubble
  std::string time_unit = {};  // written at the time axis
  int width = 960;             // of the picture, in pixels
};

/// Returns the text of an SVG file. The first start is drawn at time 0.
std::string DrawTimeline(const Timeline& timeline, const SvgOptions& options = {});

}  // namespace hyperpp::pipeline

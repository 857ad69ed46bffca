// Schedules as text for people: `hyperpp plan`, documents, error messages.
//
//             0   1   2   3   4   5
//     rank 0  0F0 0F1 .   .   0B0 0B1      a column is a tick: all passes equally long, messages
//     rank 1  .   1F0 1F1 1B0 1B1 .        free and at once
//
// A wrong schedule has no ticks; its lists are drawn as they stand, with the place marked:
//
//       rank 0   0F0   0F1   0B0   0B1
//     > rank 1   1F1  [1B0]  1F0   1B1
#pragma once

#include <cstddef>
#include <string>

#include "hyperpp/pipeline/schedule/schedule.h"

namespace hyperpp::pipeline {

/// How much of a grid is written; 0: all.
struct GridLimits {
  size_t line_width = 0;  // characters; longer rows go on in a further block of lines
  size_t num_blocks = 0;  // what comes behind is left out, and a last line says so
};

/// Returns the grid of compute actions, rows = ranks, columns = ticks, with a line of tick numbers.
/// REQUIRES: the schedule is valid.
std::string FormatGrid(const Schedule& schedule, const GridLimits& limits = {});

/// Returns the ranks' lists, or the part of long ones around the place, with `position` of `rank`
/// marked; a position at the end of the list is marked [end].
std::string FormatMarkedLists(const Schedule& schedule, int rank, int position);

}  // namespace hyperpp::pipeline

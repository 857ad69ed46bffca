// Schedules as text: comma separated actions, one line per rank.
//
//     0F0,0F1,0B0,0B1
//     1F0,1B0,1F1,1B1
//
// torch.distributed.pipelining writes and reads the same tables (_PipelineScheduleRuntime._dump_csv
// and _load_csv); its empty cells, where a rank idles, are skipped when reading.
#pragma once

#include <string>
#include <string_view>

#include "hyperpp/pipeline/schedule/schedule.h"

namespace hyperpp::pipeline {

/// Returns one line per rank.
std::string FormatSchedule(const Schedule& schedule);

/// Reads one line per rank. The number of ranks is that of the lines; the numbers of chunks and
/// microbatches are the smallest that hold every index, so a table that lacks something is read
/// here and refused by the validator.
/// Errors: InputError with `where` (a file name, or what the text is), line and column.
Schedule ParseSchedule(std::string_view text, const std::string& where);

}  // namespace hyperpp::pipeline

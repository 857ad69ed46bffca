// Every schedule over a range of shapes, for tests of properties.
#pragma once

#include <functional>
#include <string>

#include <gtest/gtest.h>

#include "hyperpp/pipeline/schedule/schedules.h"

namespace hyperpp::pipeline {

inline void ForEachSchedule(
    const std::function<void(const ScheduleKind&, const ScheduleShape&)>& check) {
  for (const ScheduleKind& kind : kSchedules) {
    const int first_chunks = kind.interleaved ? 2 : 1, last_chunks = kind.interleaved ? 3 : 1;
    for (int ranks = 1; ranks <= 5; ++ranks) {
      for (int chunks = first_chunks; chunks <= last_chunks; ++chunks) {
        for (int microbatches = 1; microbatches <= 12; ++microbatches) {
          SCOPED_TRACE(std::string(kind.name) + " on " + std::to_string(ranks) + " ranks, " +
                       std::to_string(chunks) + " chunks, " + std::to_string(microbatches) +
                       " microbatches");
          check(kind, {ranks, chunks, microbatches});
        }
      }
    }
  }
}

/// The same with messages: what the executor runs.
inline void ForEachSchedule(const std::function<void(const Schedule&)>& check) {
  ForEachSchedule([&](const ScheduleKind& kind, const ScheduleShape& shape) {
    check(MakeSchedule(kind.name, shape));
  });
}

}  // namespace hyperpp::pipeline

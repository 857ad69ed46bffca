#include "hyperpp/pipeline/schedule/schedule.h"

#include <algorithm>

#include <fmt/format.h>

#include "hyperpp/core/error.h"

namespace hyperpp::pipeline {

bool Schedule::HasCommunication() const {
  return std::any_of(ranks.begin(), ranks.end(), [](const RankActions& actions) {
    return std::any_of(actions.begin(), actions.end(),
                       [](const Action& action) { return IsCommunication(action.type); });
  });
}

void CheckShape(const std::string& schedule, const ScheduleShape& shape) {
  if (shape.num_ranks >= 1 && shape.num_chunks >= 1 && shape.num_microbatches >= 1) return;
  throw PlanError(
      fmt::format("schedule {}: {} ranks, {} chunks and {} microbatches; give at least one of each",
                  schedule, shape.num_ranks, shape.num_chunks, shape.num_microbatches));
}

void CheckSingleChunk(const std::string& schedule, const ScheduleShape& shape) {
  CheckShape(schedule, shape);
  if (shape.num_chunks == 1) return;
  throw PlanError(
      fmt::format("schedule {}: {} chunks per rank, but it runs one; use interleaved1f1b, or one "
                  "chunk",
                  schedule, shape.num_chunks));
}

}  // namespace hyperpp::pipeline

#include "hyperpp/pipeline/schedule/one_f_one_b.h"

#include <algorithm>

namespace hyperpp::pipeline {

Schedule OneFOneB(const ScheduleShape& shape) {
  CheckSingleChunk("1f1b", shape);
  Schedule schedule{.name = "1f1b", .shape = shape};
  for (int rank = 0; rank < shape.num_ranks; ++rank) {
    const StageIndex stage{rank};
    const int num_warmup = std::min(shape.num_ranks - 1 - rank, shape.num_microbatches);
    int forward = 0, backward = 0;
    RankActions actions;
    while (forward < num_warmup) actions.push_back(Forward(stage, {forward++}));
    while (forward < shape.num_microbatches) {
      actions.push_back(Forward(stage, {forward++}));
      actions.push_back(Backward(stage, {backward++}));
    }
    while (backward < shape.num_microbatches) actions.push_back(Backward(stage, {backward++}));
    schedule.ranks.push_back(actions);
  }
  return schedule;
}

int OneFOneBInFlight(const ScheduleShape& shape, int rank) {
  return std::min(shape.num_microbatches, shape.num_ranks - rank);
}

}  // namespace hyperpp::pipeline

#include "hyperpp/pipeline/schedule/gpipe.h"

namespace hyperpp::pipeline {

Schedule GPipe(const ScheduleShape& shape) {
  CheckSingleChunk("gpipe", shape);
  Schedule schedule{.name = "gpipe", .shape = shape};
  for (int rank = 0; rank < shape.num_ranks; ++rank) {
    const StageIndex stage{rank};
    RankActions actions;
    for (int microbatch = 0; microbatch < shape.num_microbatches; ++microbatch) {
      actions.push_back(Forward(stage, {microbatch}));
    }
    for (int microbatch = shape.num_microbatches - 1; microbatch >= 0; --microbatch) {
      actions.push_back(Backward(stage, {microbatch}));
    }
    schedule.ranks.push_back(actions);
  }
  return schedule;
}

int GPipeInFlight(const ScheduleShape& shape, int /*rank*/) { return shape.num_microbatches; }

}  // namespace hyperpp::pipeline

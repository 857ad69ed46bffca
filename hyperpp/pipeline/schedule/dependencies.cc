#include "hyperpp/pipeline/schedule/dependencies.h"

namespace hyperpp::pipeline {

std::optional<Action> ProducerOf(const Action& compute, const ScheduleShape& shape) {
  if (compute.type == ActionType::kForward) {
    if (shape.IsFirst(compute.stage)) return {};
    return Forward({compute.stage.value - 1}, compute.microbatch);
  }
  if (shape.IsLast(compute.stage)) return {};
  return Backward({compute.stage.value + 1}, compute.microbatch);
}

std::optional<Action> ReceiveFor(const Action& compute, const ScheduleShape& shape) {
  const auto producer = ProducerOf(compute, shape);
  if (!producer || shape.RankOf(producer->stage) == shape.RankOf(compute.stage)) return {};
  const bool forward = compute.type == ActionType::kForward;
  return Action{forward ? ActionType::kReceiveForward : ActionType::kReceiveBackward, compute.stage,
                compute.microbatch};
}

std::optional<Action> SendAfter(const Action& compute, const ScheduleShape& shape) {
  const bool forward = compute.type == ActionType::kForward;
  if (forward ? shape.IsLast(compute.stage) : shape.IsFirst(compute.stage)) return {};
  if (shape.num_ranks == 1) return {};
  return Action{forward ? ActionType::kSendForward : ActionType::kSendBackward, compute.stage,
                compute.microbatch};
}

}  // namespace hyperpp::pipeline

#include "hyperpp/pipeline/schedule/forward_only.h"

#include <vector>

namespace hyperpp::pipeline {
namespace {

bool IsOfBackward(const Action& action) {
  switch (action.type) {
    case ActionType::kBackward:
    case ActionType::kReceiveBackward:
    case ActionType::kSendBackward:
    case ActionType::kReduceGrad:
      return true;
    default:
      return false;
  }
}

}  // namespace

Schedule ForwardOnly(Schedule schedule) {
  for (RankActions& actions : schedule.ranks) std::erase_if(actions, IsOfBackward);
  return schedule;
}

}  // namespace hyperpp::pipeline

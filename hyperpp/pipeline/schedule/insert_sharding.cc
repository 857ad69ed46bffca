#include "hyperpp/pipeline/schedule/insert_sharding.h"

#include <map>

namespace hyperpp::pipeline {
namespace {

Action OfStage(ActionType type, StageIndex stage) { return {type, stage, {}}; }

RankActions InsertOn(const RankActions& actions, bool reduce_each) {
  std::map<StageIndex, std::size_t> last;  // compute action of each stage
  for (std::size_t i = 0; i < actions.size(); ++i)
    if (IsCompute(actions[i].type)) last[actions[i].stage] = i;
  RankActions result;
  std::map<StageIndex, bool> started;
  for (std::size_t i = 0; i < actions.size(); ++i) {
    const Action& action = actions[i];
    const StageIndex stage = action.stage;
    // A stage's receive comes first, so that gather and message travel together.
    if (IsCompute(action.type) && started.emplace(stage, true).second)
      result.push_back(OfStage(ActionType::kUnshard, stage));
    result.push_back(action);
    if (!IsCompute(action.type)) continue;
    const bool is_last = last[stage] == i;
    if (action.type == ActionType::kBackward && (reduce_each || is_last))
      result.push_back(OfStage(ActionType::kReduceGrad, stage));
    if (is_last) result.push_back(OfStage(ActionType::kReshard, stage));
  }
  return result;
}

}  // namespace

Schedule InsertSharding(const Schedule& schedule) {
  Schedule result = schedule;
  for (RankActions& actions : result.ranks)
    actions = InsertOn(actions, /*reduce_each=*/schedule.shape.num_ranks == 1);
  return result;
}

}  // namespace hyperpp::pipeline

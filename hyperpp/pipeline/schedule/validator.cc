#include "hyperpp/pipeline/schedule/validator.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "hyperpp/core/error.h"
#include "hyperpp/pipeline/schedule/dependencies.h"
#include "hyperpp/pipeline/schedule/grid_text.h"
#include "hyperpp/pipeline/schedule/replay.h"

namespace hyperpp::pipeline {
namespace {

// One rank's list with what the rules ask of it.
struct RankView {
  const Schedule& schedule;
  int rank;
  bool has_messages;
  std::set<Action> expected;        // what must stand in the list once
  std::map<Action, int> positions;  // first place of each action

  const RankActions& Actions() const { return schedule.ranks[static_cast<size_t>(rank)]; }
};

RankView ViewRank(const Schedule& schedule, int rank, bool has_messages) {
  RankView view{schedule, rank, has_messages, {}, {}};
  const ScheduleShape& shape = schedule.shape;
  for (int chunk = 0; chunk < shape.num_chunks; ++chunk) {
    for (int microbatch = 0; microbatch < shape.num_microbatches; ++microbatch) {
      const StageIndex stage = shape.StageOf(rank, chunk);
      for (const Action& compute : {Forward(stage, {microbatch}), Backward(stage, {microbatch})}) {
        view.expected.insert(compute);
        if (!has_messages) continue;
        if (const auto receive = ReceiveFor(compute, shape)) view.expected.insert(*receive);
        if (const auto send = SendAfter(compute, shape)) view.expected.insert(*send);
      }
    }
  }
  int position = 0;
  for (const Action& action : view.Actions()) view.positions.emplace(action, position++);
  return view;
}

// Why an action has no place on this rank; empty if it has.
std::string MisplacedFact(const RankView& view, const Action& action) {
  const ScheduleShape& shape = view.schedule.shape;
  if (action.stage.value < 0 || action.stage.value >= shape.NumStages()) {
    return fmt::format("stage {} does not exist, there are {}; use 0 to {}", action.stage.value,
                       shape.NumStages(), shape.NumStages() - 1);
  }
  if (const int owner = shape.RankOf(action.stage); owner != view.rank) {
    return fmt::format("stage {} belongs to rank {}, not {}; move it there", action.stage.value,
                       owner, view.rank);
  }
  if (!HasMicrobatch(action.type)) return "";
  if (action.microbatch.value < 0 || action.microbatch.value >= shape.num_microbatches) {
    return fmt::format("microbatch {} does not exist, there are {}; use 0 to {}",
                       action.microbatch.value, shape.num_microbatches, shape.num_microbatches - 1);
  }
  if (!view.expected.contains(action)) {
    return fmt::format("no other rank holds the neighbour of stage {} for this message; remove it",
                       action.stage.value);
  }
  return "";
}

std::optional<Violation> CheckComplete(const RankView& view) {
  int position = 0;
  for (const Action& action : view.Actions()) {
    if (std::string fact = MisplacedFact(view, action); !fact.empty()) {
      return Violation{view.rank, position, fact};
    }
    const int first = view.positions.at(action);
    if (HasMicrobatch(action.type) && first != position) {
      return Violation{view.rank, position,
                       fmt::format("stands at position {} already; keep one of the two", first)};
    }
    ++position;
  }
  for (const Action& action : view.expected) {
    if (!view.positions.contains(action)) {
      return Violation{view.rank, position,
                       fmt::format("{} is missing; add it", FormatAction(action))};
    }
  }
  return {};
}

// What must stand before `action` on the same rank.
std::vector<Action> Predecessors(const RankView& view, const Action& action) {
  const ScheduleShape& shape = view.schedule.shape;
  std::vector<Action> before;
  if (action.type == ActionType::kSendForward) {
    before.push_back(Forward(action.stage, action.microbatch));
  } else if (action.type == ActionType::kSendBackward) {
    before.push_back(Backward(action.stage, action.microbatch));
  } else if (IsCompute(action.type)) {
    if (action.type == ActionType::kBackward) {
      before.push_back(Forward(action.stage, action.microbatch));
    }
    if (const auto receive = ReceiveFor(action, shape)) {
      if (view.has_messages) before.push_back(*receive);
    } else if (const auto producer = ProducerOf(action, shape)) {
      before.push_back(*producer);
    }
  }
  return before;
}

std::optional<Violation> CheckOrder(const RankView& view) {
  int position = 0;
  for (const Action& action : view.Actions()) {
    for (const Action& before : Predecessors(view, action)) {
      if (const int needed = view.positions.at(before); needed > position) {
        return Violation{view.rank, position,
                         fmt::format("stands before {} at position {}, which it needs; move it "
                                     "behind",
                                     FormatAction(before), needed)};
      }
    }
    ++position;
  }
  return {};
}

std::optional<Violation> CheckInFlight(const RankView& view, int bound) {
  int position = 0, in_flight = 0;
  for (const Action& action : view.Actions()) {
    if (action.type == ActionType::kForward) ++in_flight;
    if (action.type == ActionType::kBackward) --in_flight;
    if (in_flight > bound) {
      return Violation{view.rank, position,
                       fmt::format("{} passes are in flight, but rank {} may hold {}; run a "
                                   "backward pass first",
                                   in_flight, view.rank, bound)};
    }
    ++position;
  }
  return {};
}

}  // namespace

std::optional<Violation> FindViolation(const Schedule& schedule,
                                       const std::vector<int>& in_flight_bounds) {
  CheckShape(schedule.name, schedule.shape);
  const int num_ranks = schedule.shape.num_ranks;
  HYPERPP_CHECK_EQ(static_cast<int>(schedule.ranks.size()), num_ranks, "lists of actions");
  const bool has_messages = schedule.HasCommunication();
  std::vector<RankView> views;
  for (int rank = 0; rank < num_ranks; ++rank) {
    views.push_back(ViewRank(schedule, rank, has_messages));
  }
  for (const RankView& view : views) {
    if (auto violation = CheckComplete(view)) return violation;
  }
  for (const RankView& view : views) {
    if (auto violation = CheckOrder(view)) return violation;
  }
  if (const auto deadlock = FindDeadlock(schedule)) {
    return Violation{deadlock->rank, deadlock->position, deadlock->fact};
  }
  if (in_flight_bounds.empty()) return {};
  HYPERPP_CHECK_EQ(static_cast<int>(in_flight_bounds.size()), num_ranks, "in-flight bounds");
  for (const RankView& view : views) {
    const int bound = in_flight_bounds[static_cast<size_t>(view.rank)];
    if (auto violation = CheckInFlight(view, bound)) return violation;
  }
  return {};
}

void ValidateSchedule(const Schedule& schedule, const std::vector<int>& in_flight_bounds) {
  const auto violation = FindViolation(schedule, in_flight_bounds);
  if (!violation) return;
  const RankActions& actions = schedule.ranks[static_cast<size_t>(violation->rank)];
  const auto position = static_cast<size_t>(violation->position);
  throw PlanError(fmt::format(
      "rank {}: {} position {}, {}: {}\n{}", violation->rank, schedule.name, position,
      position < actions.size() ? "action " + FormatAction(actions[position]) : "end of the list",
      violation->fact, FormatMarkedLists(schedule, violation->rank, violation->position)));
}

}  // namespace hyperpp::pipeline

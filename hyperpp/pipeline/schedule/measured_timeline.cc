#include "hyperpp/pipeline/schedule/measured_timeline.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "hyperpp/core/error.h"

namespace hyperpp::pipeline {
namespace {

constexpr double kNsPerMs = 1e6;

std::optional<int64_t> StepOf(const TraceEvent& event) {
  if (event.lane != TraceLane::kStep) return {};
  for (const auto& [name, value] : event.arguments)
    if (name == "step") return value;
  return {};
}

const TraceEvent& SpanOfStep(const RankTrace& trace, int64_t step) {
  for (const TraceEvent& event : trace.events)
    if (StepOf(event) == step) return event;
  throw InputError(
      fmt::format("{}: step {} was not recorded; name a step of output.trace", trace.source, step));
}

// The action that a span is named after; nothing for "optimizer" and the like.
std::optional<Action> ActionOf(const TraceEvent& event) {
  try {
    return ParseAction(event.name, "span");
  } catch (const InputError&) {
    return {};
  }
}

// The spans of `step` that are named after actions, by start. Of one action in one lane the first
// stays: what comes again is an evaluation's.
std::vector<TimedAction> ActionsOfStep(const RankTrace& trace, int64_t step) {
  const TraceEvent& span = SpanOfStep(trace, step);
  std::vector<std::pair<TimedAction, TraceLane>> all;
  for (const TraceEvent& event : trace.events) {
    if (event.start_ns < span.start_ns || event.end_ns > span.end_ns) continue;
    if (const auto action = ActionOf(event))
      all.push_back({{*action, static_cast<double>(event.start_ns) / kNsPerMs,
                      static_cast<double>(event.end_ns) / kNsPerMs},
                     event.lane});
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const auto& a, const auto& b) { return a.first.start < b.first.start; });
  std::set<std::pair<Action, TraceLane>> seen;
  std::vector<TimedAction> actions;
  for (const auto& [timed, lane] : all)
    if (seen.emplace(timed.action, lane).second) actions.push_back(timed);
  return actions;
}

// Each pass of the schedule once. Forward passes beyond it may be an evaluation's; backward passes
// come from training alone.
void CheckPasses(const RankTrace& trace, int64_t step, const std::vector<TimedAction>& actions,
                 const RankActions& scheduled) {
  std::set<Action> expected, found;
  for (const Action& action : scheduled)
    if (IsCompute(action.type)) expected.insert(action);
  const char* advice = "draw the trace with the configuration that it was recorded with";
  for (const TimedAction& timed : actions) {
    found.insert(timed.action);
    if (timed.action.type == ActionType::kBackward && !expected.contains(timed.action))
      throw InputError(fmt::format("{}: step {} ran {}, which is not in the plan; {}", trace.source,
                                   step, FormatAction(timed.action), advice));
  }
  for (const Action& action : expected) {
    if (!found.contains(action))
      throw InputError(fmt::format("{}: step {} did not run {} of the plan; {}", trace.source, step,
                                   FormatAction(action), advice));
  }
}

// Keeps the schedule's actions between the first and the last pass, and counts from the first.
void CutToPasses(Timeline& timeline, const Schedule& schedule) {
  double first = std::numeric_limits<double>::infinity(), last = -first;
  for (std::size_t rank = 0; rank < timeline.ranks.size(); ++rank) {
    const std::set<Action> known(schedule.ranks[rank].begin(), schedule.ranks[rank].end());
    std::erase_if(timeline.ranks[rank],
                  [&](const TimedAction& timed) { return !known.contains(timed.action); });
    for (const TimedAction& timed : timeline.ranks[rank]) {
      if (!IsCompute(timed.action.type)) continue;
      first = std::min(first, timed.start);
      last = std::max(last, timed.end);
    }
  }
  for (std::vector<TimedAction>& actions : timeline.ranks) {
    for (TimedAction& timed : actions) {
      timed.start = std::max(timed.start, first) - first;
      timed.end = std::min(timed.end, last) - first;
    }
    std::erase_if(actions, [](const TimedAction& timed) { return timed.end < timed.start; });
  }
}

}  // namespace

std::vector<int64_t> RecordedSteps(const std::vector<RankTrace>& traces) {
  std::map<int64_t, std::size_t> ranks_with;
  for (const RankTrace& trace : traces)
    for (const TraceEvent& event : trace.events)
      if (const auto step = StepOf(event)) ++ranks_with[*step];
  std::vector<int64_t> steps;
  for (const auto& [step, num_ranks] : ranks_with)
    if (num_ranks == traces.size()) steps.push_back(step);
  return steps;
}

Timeline MeasuredTimeline(const std::vector<RankTrace>& traces, int64_t step,
                          const Schedule& schedule) {
  HYPERPP_CHECK_EQ(traces.size(), schedule.ranks.size(), "traces of a schedule's ranks");
  Timeline timeline{.name = schedule.name, .shape = schedule.shape, .ranks = {}};
  for (std::size_t rank = 0; rank < traces.size(); ++rank) {
    timeline.ranks.push_back(ActionsOfStep(traces[rank], step));
    CheckPasses(traces[rank], step, timeline.ranks.back(), schedule.ranks[rank]);
  }
  CutToPasses(timeline, schedule);
  return timeline;
}

ActionDurations MeanDurations(const Timeline& timeline) {
  const auto num_stages = static_cast<std::size_t>(timeline.shape.NumStages());
  ActionDurations mean{std::vector<double>(num_stages), std::vector<double>(num_stages)};
  std::vector<int> num_forward(num_stages), num_backward(num_stages);
  for (const std::vector<TimedAction>& actions : timeline.ranks) {
    for (const TimedAction& timed : actions) {
      if (!IsCompute(timed.action.type)) continue;
      const auto stage = static_cast<std::size_t>(timed.action.stage.value);
      const bool forward = timed.action.type == ActionType::kForward;
      (forward ? mean.forward : mean.backward)[stage] += timed.end - timed.start;
      ++(forward ? num_forward : num_backward)[stage];
    }
  }
  for (std::size_t stage = 0; stage < num_stages; ++stage) {
    mean.forward[stage] /= num_forward[stage];
    mean.backward[stage] /= num_backward[stage];
  }
  return mean;
}

}  // namespace hyperpp::pipeline

#include "hyperpp/pipeline/schedule/schedule_text.h"

#include <algorithm>

#include <fmt/format.h>

#include "hyperpp/core/error.h"

namespace hyperpp::pipeline {
namespace {

// Far above any real table; keeps what is made from the numbers of a damaged file small.
constexpr int kMaxIndex = 1 << 16;

// Takes the text up to `separator`, or all of it, off the front of `text`.
std::string_view TakeUntil(std::string_view& text, char separator) {
  const auto end = std::min(text.find(separator), text.size());
  const std::string_view taken = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return taken;
}

RankActions ParseRow(std::string_view line, const std::string& where) {
  RankActions actions;
  for (int column = 1; !line.empty(); ++column) {
    const std::string_view cell = TakeUntil(line, ',');
    if (cell.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    const std::string place = fmt::format("{}, column {}", where, column);
    const Action action = ParseAction(cell, place);
    if (std::max(action.stage.value, action.microbatch.value) > kMaxIndex) {
      throw InputError(fmt::format("{}: {} has an index above {}; the file is damaged", place,
                                   FormatAction(action), kMaxIndex));
    }
    actions.push_back(action);
  }
  return actions;
}

}  // namespace

std::string FormatSchedule(const Schedule& schedule) {
  std::string text;
  for (const RankActions& actions : schedule.ranks) {
    for (size_t i = 0; i < actions.size(); ++i) {
      if (i > 0) text += ',';
      text += FormatAction(actions[i]);
    }
    text += '\n';
  }
  return text;
}

Schedule ParseSchedule(std::string_view text, const std::string& where) {
  Schedule schedule{.name = where};
  int last_stage = 0, last_microbatch = 0;
  for (int line = 1; !text.empty(); ++line) {
    schedule.ranks.push_back(
        ParseRow(TakeUntil(text, '\n'), fmt::format("{}, line {}", where, line)));
    for (const Action& action : schedule.ranks.back()) {
      last_stage = std::max(last_stage, action.stage.value);
      last_microbatch = std::max(last_microbatch, action.microbatch.value);
    }
  }
  if (schedule.ranks.empty()) {
    throw InputError(fmt::format("{}: no lines; give one line of actions per rank", where));
  }
  const int num_ranks = static_cast<int>(schedule.ranks.size());
  schedule.shape = {num_ranks, last_stage / num_ranks + 1, last_microbatch + 1};
  return schedule;
}

}  // namespace hyperpp::pipeline

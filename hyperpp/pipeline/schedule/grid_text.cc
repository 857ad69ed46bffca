#include "hyperpp/pipeline/schedule/grid_text.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "hyperpp/pipeline/schedule/simulator.h"

namespace hyperpp::pipeline {
namespace {

using Row = std::vector<std::string>;

size_t WidestCell(const std::vector<Row>& rows) {
  size_t widest = 0;
  for (const Row& row : rows) {
    for (const std::string& cell : row) widest = std::max(widest, cell.size());
  }
  return widest;
}

std::string JoinCells(const std::string& label, const Row& row, size_t width) {
  std::string line = label;
  for (const std::string& cell : row) line += fmt::format("{:<{}} ", cell, width);
  line.erase(line.find_last_not_of(' ') + 1);
  return line + '\n';
}

// The tick numbers, then a row for each rank.
std::vector<Row> GridRows(const Schedule& schedule) {
  const Timeline timeline = Simulate(schedule, UniformDurations(schedule.shape, 1, 1));
  const auto num_ticks = static_cast<size_t>(std::lround(Makespan(timeline)));
  std::vector<Row> rows(1 + timeline.ranks.size(), Row(num_ticks, "."));
  for (size_t tick = 0; tick < num_ticks; ++tick) rows[0][tick] = std::to_string(tick);
  for (size_t rank = 0; rank < timeline.ranks.size(); ++rank) {
    for (const TimedAction& timed : timeline.ranks[rank]) {
      if (!IsCompute(timed.action.type)) continue;
      rows[1 + rank][static_cast<size_t>(std::lround(timed.start))] = FormatAction(timed.action);
    }
  }
  return rows;
}

std::string RankLabel(int rank, int num_ranks) {
  return fmt::format("rank {:<{}}", rank, fmt::formatted_size("{}", num_ranks - 1));
}

}  // namespace

std::string FormatGrid(const Schedule& schedule, const GridLimits& limits) {
  const std::vector<Row> rows = GridRows(schedule);
  const size_t num_ticks = rows[0].size(), width = WidestCell(rows);
  const int num_ranks = schedule.shape.num_ranks;
  const size_t label_width = RankLabel(0, num_ranks).size() + 2;
  const size_t fitting =
      limits.line_width > label_width ? (limits.line_width - label_width + 1) / (width + 1) : 1;
  const size_t block = limits.line_width == 0 ? num_ticks : std::max<size_t>(fitting, 1);
  const size_t end =
      limits.num_blocks == 0 ? num_ticks : std::min(num_ticks, limits.num_blocks * block);
  std::string text;
  for (size_t first = 0; first < end; first += block) {
    if (first > 0) text += '\n';
    for (size_t i = 0; i < rows.size(); ++i) {
      const std::string label = i == 0 ? "" : RankLabel(static_cast<int>(i) - 1, num_ranks);
      const auto begin = rows[i].begin() + static_cast<std::ptrdiff_t>(first);
      const Row part(begin, begin + static_cast<std::ptrdiff_t>(std::min(block, end - first)));
      text += JoinCells(fmt::format("{:<{}}", label, label_width), part, width);
    }
  }
  if (end < num_ticks) text += fmt::format("... {} more ticks\n", num_ticks - end);
  return text;
}

std::string FormatMarkedLists(const Schedule& schedule, int rank, int position) {
  constexpr int kBefore = 8,
                kAfter = 4;  // fits a terminal, with room for names such as [12SEND_F31]
  const int first = std::max(0, position - kBefore), last = position + kAfter;
  const int num_ranks = static_cast<int>(schedule.ranks.size());
  std::vector<Row> rows;
  for (int row_rank = 0; row_rank < num_ranks; ++row_rank) {
    const RankActions& actions = schedule.ranks[static_cast<size_t>(row_rank)];
    const int size = static_cast<int>(actions.size());
    Row row;
    if (first > 0) row.push_back(" ...");
    for (int i = first; i <= std::min(last, size); ++i) {
      const bool marked = row_rank == rank && i == position;
      if (i == size && !marked) break;
      const std::string cell = i == size ? "end" : FormatAction(actions[static_cast<size_t>(i)]);
      row.push_back(marked ? "[" + cell + "]" : " " + cell + " ");
    }
    if (last + 1 < size) row.push_back(" ...");
    rows.push_back(row);
  }
  const size_t width = WidestCell(rows);
  std::string text;
  for (int row_rank = 0; row_rank < num_ranks; ++row_rank) {
    const std::string mark = row_rank == rank ? "> " : "  ";
    text += JoinCells(mark + RankLabel(row_rank, num_ranks) + "  ",
                      rows[static_cast<size_t>(row_rank)], width);
  }
  text.pop_back();
  return text;
}

}  // namespace hyperpp::pipeline

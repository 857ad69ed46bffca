// Orders equal to those of torch.distributed.pipelining; reference/make_reference.py made the
// tables.
#include <algorithm>
#include <fstream>
#include <regex>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "hyperpp/pipeline/schedule/schedule_text.h"
#include "hyperpp/pipeline/schedule/schedules.h"

namespace hyperpp::pipeline {
namespace {

struct Table {
  std::string name;
  ScheduleShape shape;
  Schedule schedule;
};

// A heading "# NAME ranks=P chunks=V microbatches=M" before the lines of each table.
std::vector<Table> ReadTables() {
  std::ifstream file(HYPERPP_REFERENCE_DIR "/torch_schedules.csv");
  const std::regex heading("# (\\S+) ranks=(\\d+) chunks=(\\d+) microbatches=(\\d+)");
  std::vector<Table> tables;
  for (std::string line; std::getline(file, line);) {
    std::smatch match;
    if (!std::regex_match(line, match, heading)) continue;
    const ScheduleShape shape{std::stoi(match[2]), std::stoi(match[3]), std::stoi(match[4])};
    const std::string name = match[1];
    std::string text;
    for (int rank = 0; rank < shape.num_ranks && std::getline(file, line); ++rank) {
      text += line + "\n";
    }
    tables.push_back({name, shape, ParseSchedule(text, name)});
  }
  return tables;
}

// The order of microbatches is reversed by the paper and here; torch keeps it.
void ReverseBackward(Schedule& schedule) {
  for (RankActions& actions : schedule.ranks) {
    std::reverse(actions.begin() + schedule.shape.num_microbatches, actions.end());
  }
}

TEST(TorchSchedulesTest, OrdersAreEqual) {
  int num_compared = 0;
  for (Table& table : ReadTables()) {
    Schedule ours = FindSchedule(table.name).generate(table.shape);
    if (table.name == "gpipe") ReverseBackward(ours);
    // torch's 1f1b table starts the last rank at microbatch 1; its step() does not.
    const int num_ranks = table.shape.num_ranks - (table.name == "1f1b" ? 1 : 0);
    for (int rank = 0; rank < num_ranks; ++rank) {
      const auto index = static_cast<size_t>(rank);
      EXPECT_EQ(ours.ranks[index], table.schedule.ranks[index])
          << table.name << " on " << num_ranks << " ranks, " << table.shape.num_chunks
          << " chunks, " << table.shape.num_microbatches << " microbatches, rank " << rank;
      ++num_compared;
    }
  }
  EXPECT_GT(num_compared, 300);
}

}  // namespace
}  // namespace hyperpp::pipeline

#include "hyperpp/pipeline/schedule/grid_text.h"

#include <gtest/gtest.h>

#include "hyperpp/pipeline/schedule/insert_communication.h"
#include "hyperpp/pipeline/schedule/one_f_one_b.h"

namespace hyperpp::pipeline {
namespace {

TEST(GridTextTest, MessagesAreLeftOut) {
  const Schedule compute = OneFOneB({3, 1, 5});
  EXPECT_EQ(FormatGrid(InsertCommunication(compute)), FormatGrid(compute));
}

TEST(GridTextTest, RankNumbersAreAligned) {
  const std::string grid = FormatGrid(OneFOneB({11, 1, 1}));
  EXPECT_NE(grid.find("\nrank 0   0F0"), std::string::npos) << grid;
  EXPECT_NE(grid.find("\nrank 10  ."), std::string::npos) << grid;
}

TEST(GridTextTest, LongRowsGoOnInFurtherBlocksAndTheRestIsCounted) {
  const Schedule schedule = OneFOneB({2, 1, 2});
  const std::string blocks =
      "        0   1   2\n"
      "rank 0  0F0 0F1 .\n"
      "rank 1  .   1F0 1B0\n"
      "\n"
      "        3   4   5\n"
      "rank 0  0B0 .   0B1\n"
      "rank 1  1F1 1B1 .\n";
  EXPECT_EQ(FormatGrid(schedule, {.line_width = 19}), blocks);
  EXPECT_EQ(FormatGrid(schedule, {.line_width = 19, .num_blocks = 2}), blocks);
  EXPECT_EQ(FormatGrid(schedule, {.line_width = 19, .num_blocks = 1}),
            blocks.substr(0, blocks.find("\n\n") + 1) + "... 3 more ticks\n");
  EXPECT_EQ(FormatGrid(schedule, {.line_width = 1, .num_blocks = 1}),
            "        0\nrank 0  0F0\nrank 1  .\n... 5 more ticks\n");
}

TEST(GridTextTest, MarkedListsShowThePartAroundThePlace) {
  EXPECT_EQ(
      FormatMarkedLists(OneFOneB({2, 1, 8}), 1, 10),
      "  rank 0   ...   0B0   0F2   0B1   0F3   0B2   0F4   0B3   0F5   0B4   0F6   0B5   0F7  "
      " 0B6   ...\n"
      "> rank 1   ...   1F1   1B1   1F2   1B2   1F3   1B3   1F4   1B4  [1F5]  1B5   1F6   1B6  "
      " 1F7   ...");
}

TEST(GridTextTest, PlaceBehindTheEndIsMarked) {
  EXPECT_EQ(FormatMarkedLists(OneFOneB({2, 1, 1}), 0, 2),
            "> rank 0   0F0   0B0  [end]\n"
            "  rank 1   1F0   1B0");
}

}  // namespace
}  // namespace hyperpp::pipeline

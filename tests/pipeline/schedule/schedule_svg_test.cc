// Also keeps the figures of docs/schedules.md equal to what the code draws. To write them anew
// after a change: HYPERPP_WRITE_FIGURES=1 pipeline_schedule_test --gtest_filter='ScheduleSvgTest.*'
#include "hyperpp/pipeline/schedule/schedule_svg.h"

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hyperpp/pipeline/schedule/schedules.h"
#include "hyperpp/pipeline/schedule/simulator.h"

namespace hyperpp::pipeline {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

int Count(const std::string& text, const std::string& part) {
  int count = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

// A pass through one of v chunks takes 1 / v of the time of a pass through a rank's whole part.
std::string DrawSchedule(const std::string& name, const ScheduleShape& shape) {
  const ActionDurations durations =
      UniformDurations(shape, 1.0 / shape.num_chunks, 2.0 / shape.num_chunks);
  return DrawTimeline(Simulate(FindSchedule(name).generate(shape), durations));
}

void CompareFigure(const std::string& name, const std::string& svg) {
  const std::string path = HYPERPP_FIGURES_DIR "/" + name;
  if (std::getenv("HYPERPP_WRITE_FIGURES") != nullptr) std::ofstream(path) << svg;
  std::ifstream file(path);
  const std::string written{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  EXPECT_TRUE(written == svg) << path << " differs from what is drawn; see the head of this file";
}

TEST(ScheduleSvgTest, FiguresOfTheDocumentsAreCurrent) {
  CompareFigure("schedule_gpipe.svg", DrawSchedule("gpipe", {4, 1, 8}));
  CompareFigure("schedule_1f1b.svg", DrawSchedule("1f1b", {4, 1, 8}));
  CompareFigure("schedule_interleaved1f1b.svg", DrawSchedule("interleaved1f1b", {4, 2, 8}));
}

TEST(ScheduleSvgTest, EveryActionIsDrawnWithItsTimes) {
  const std::string svg = DrawSchedule("1f1b", {2, 1, 3});
  EXPECT_EQ(Count(svg, "<g>"), 12);
  EXPECT_EQ(Count(svg, "<g>"), Count(svg, "</g>"));
  EXPECT_THAT(svg, HasSubstr("<title>1B0 2 to 4 </title>"));
  EXPECT_THAT(svg, HasSubstr("1f1b: 2 ranks, 1 chunk, 3 microbatches, bubble 25.0 %"));
  EXPECT_THAT(svg, Not(HasSubstr("communication")));
}

TEST(ScheduleSvgTest, MeasuredTimesStartAtZeroAndShowMessages) {
  const Timeline timeline{.name = "measured <a & b>",
                          .shape = {1, 1, 1},
                          .ranks = {{{Forward({0}, {0}), 1000, 1010},
                                     {{ActionType::kSendForward, {0}, {0}}, 1010, 1012},
                                     {Backward({0}, {0}), 1020, 1040}}}};
  const std::string svg = DrawTimeline(timeline, {.time_unit = "ms"});
  EXPECT_THAT(svg, HasSubstr("<title>0B0 20 to 40 ms</title>"));
  EXPECT_THAT(svg, HasSubstr("<title>0SEND_F0 10 to 12 ms</title>"));
  EXPECT_THAT(svg, HasSubstr(">communication</text>"));
  EXPECT_THAT(svg, HasSubstr("measured &lt;a &amp; b>"));
  EXPECT_THAT(svg, HasSubstr("time in ms"));
}

TEST(ScheduleSvgTest, EmptyTimelineIsAPicture) {
  const std::string svg = DrawTimeline({.name = "none", .shape = {}, .ranks = {{}}});
  EXPECT_THAT(svg, HasSubstr("</svg>"));
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
  EXPECT_THAT(svg, Not(HasSubstr("inf")));
}

}  // namespace
}  // namespace hyperpp::pipeline

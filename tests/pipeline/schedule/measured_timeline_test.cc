#include "hyperpp/pipeline/schedule/measured_timeline.h"

#include <initializer_list>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hyperpp/core/error.h"
#include "hyperpp/pipeline/schedule/schedules.h"

namespace hyperpp::pipeline {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr auto kStep = TraceLane::kStep;
constexpr auto kCompute = TraceLane::kCompute;
constexpr auto kMessage = TraceLane::kCommunication;
constexpr auto kWait = TraceLane::kWait;

struct Span {
  TraceLane lane;
  std::string name;
  int64_t start_ms, end_ms;
};

RankTrace TraceOf(const std::string& source, const std::vector<Span>& spans, int64_t step = 7) {
  RankTrace trace{.source = source, .events = {}};
  for (const Span& span : spans) {
    TraceEvent event{span.lane, span.name, span.start_ms * 1'000'000, span.end_ms * 1'000'000, {}};
    if (span.lane == kStep) event.arguments = {{"step", step}};
    trace.events.push_back(std::move(event));
  }
  return trace;
}

// Two ranks, one microbatch, the spans in the order in which they ended.
std::vector<RankTrace> TwoRanks() {
  return {TraceOf("rank_0.json", {{kCompute, "0F0", 110, 120},
                                  {kMessage, "0SEND_F0", 120, 121},
                                  {kMessage, "0RECV_B0", 121, 122},
                                  {kWait, "0RECV_B0", 122, 165},
                                  {kWait, "0SEND_F0", 165, 166},
                                  {kCompute, "0B0", 166, 190},
                                  {kWait, "agree", 190, 195},
                                  {kCompute, "optimizer", 195, 199},
                                  {kStep, "step", 100, 200}}),
          TraceOf("rank_1.json", {{kMessage, "1RECV_F0", 101, 102},
                                  {kWait, "1RECV_F0", 102, 125},
                                  {kCompute, "1F0", 125, 140},
                                  {kCompute, "1B0", 140, 164},
                                  {kMessage, "1SEND_B0", 164, 165},
                                  {kWait, "1SEND_B0", 191, 193},
                                  {kStep, "step", 100, 200}})};
}

const Schedule& TwoRankSchedule() {
  static const Schedule schedule = MakeSchedule("1f1b", {2, 1, 1});
  return schedule;
}

// "0F0 0-10" of the actions of a rank.
std::vector<std::string> TimesOf(const std::vector<TimedAction>& actions) {
  std::vector<std::string> texts;
  for (const TimedAction& timed : actions)
    texts.push_back(
        fmt::format("{} {:g}-{:g}", FormatAction(timed.action), timed.start, timed.end));
  return texts;
}

std::string RefusalOf(const std::vector<RankTrace>& traces, int64_t step = 7) {
  try {
    MeasuredTimeline(traces, step, TwoRankSchedule());
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(MeasuredTimelineTest, RunsFromTheFirstPassToTheLast) {
  const Timeline timeline = MeasuredTimeline(TwoRanks(), 7, TwoRankSchedule());
  EXPECT_THAT(TimesOf(timeline.ranks[0]),
              ElementsAre("0F0 0-10", "0SEND_F0 10-11", "0RECV_B0 11-12", "0RECV_B0 12-55",
                          "0SEND_F0 55-56", "0B0 56-80"));
  EXPECT_THAT(TimesOf(timeline.ranks[1]),
              ElementsAre("1RECV_F0 0-15", "1F0 15-30", "1B0 30-54", "1SEND_B0 54-55"))
      << "the start of the receive and the end of the send lie outside";
  EXPECT_DOUBLE_EQ(Makespan(timeline), 80);
  EXPECT_DOUBLE_EQ(BubbleFraction(timeline, 0), 1 - 34.0 / 80);
  EXPECT_DOUBLE_EQ(BubbleFraction(timeline, 1), 1 - 39.0 / 80);
  EXPECT_EQ(timeline.name, "1f1b");
}

TEST(MeasuredTimelineTest, EvaluationInsideTheStepIsLeftOut) {
  std::vector<RankTrace> traces = TwoRanks();
  for (RankTrace& trace : traces) {
    const std::string stage = trace.source == "rank_0.json" ? "0" : "1";
    for (const std::string& name : {stage + "F0", stage + "F1"})
      trace.events.push_back({kCompute, name, 196'000'000, 197'000'000, {}});
    trace.events.push_back({kWait, "1RECV_F1", 196'000'000, 197'000'000, {}});
  }
  const Timeline with = MeasuredTimeline(traces, 7, TwoRankSchedule());
  const Timeline without = MeasuredTimeline(TwoRanks(), 7, TwoRankSchedule());
  for (int rank : {0, 1}) EXPECT_EQ(TimesOf(with.ranks[rank]), TimesOf(without.ranks[rank]));
}

TEST(MeasuredTimelineTest, OneOfSeveralStepsIsTaken) {
  std::vector<RankTrace> traces = TwoRanks();
  for (RankTrace& trace : traces) {
    std::vector<TraceEvent> later = trace.events;
    for (TraceEvent& event : later) {
      event.start_ns += 1'000'000'000;
      event.end_ns += 1'000'000'000;
      if (event.lane == kStep) event.arguments = {{"step", 8}};
      if (event.name == "0B0") event.end_ns += 2'000'000;
    }
    trace.events.insert(trace.events.end(), later.begin(), later.end());
  }
  const auto last_of = [&](int64_t step) {
    return TimesOf(MeasuredTimeline(traces, step, TwoRankSchedule()).ranks[0]).back();
  };
  EXPECT_EQ(last_of(7), "0B0 56-80");
  EXPECT_EQ(last_of(8), "0B0 56-82");
  EXPECT_THAT(RecordedSteps(traces), ElementsAre(7, 8));
  traces[1].events.pop_back();
  EXPECT_THAT(RecordedSteps(traces), ElementsAre(7)) << "rank 1 did not record step 8";
}

TEST(MeasuredTimelineTest, TraceOfAnotherConfigurationIsRefused) {
  EXPECT_EQ(RefusalOf(TwoRanks()), "");
  EXPECT_THAT(RefusalOf(TwoRanks(), 9), HasSubstr("rank_0.json: step 9 was not recorded"));
  std::vector<RankTrace> traces = TwoRanks();
  traces[1].events.push_back({kCompute, "1B1", 170'000'000, 171'000'000, {}});
  EXPECT_THAT(RefusalOf(traces),
              HasSubstr("rank_1.json: step 7 ran 1B1, which is not in the plan"));
  traces = TwoRanks();
  traces[0].events.erase(traces[0].events.begin());
  EXPECT_THAT(RefusalOf(traces), HasSubstr("rank_0.json: step 7 did not run 0F0 of the plan"));
}

TEST(MeasuredTimelineTest, MeanDurationsSimulateTheSameStepWithoutOtherWaits) {
  const Schedule schedule = MakeSchedule("1f1b", {2, 1, 2});
  const Timeline timeline{.name = "1f1b",
                          .shape = schedule.shape,
                          .ranks = {{{Forward({0}, {0}), 0, 2},
                                     {Forward({0}, {1}), 2, 6},
                                     {{ActionType::kReceiveBackward, {0}, {0}}, 6, 20},
                                     {Backward({0}, {0}), 20, 27},
                                     {Backward({0}, {1}), 40, 45}},
                                    {{Forward({1}, {0}), 4, 5},
                                     {Backward({1}, {0}), 5, 15},
                                     {Forward({1}, {1}), 15, 16},
                                     {Backward({1}, {1}), 16, 30}}}};
  const ActionDurations mean = MeanDurations(timeline);
  EXPECT_THAT(mean.forward, ElementsAre(3, 1));
  EXPECT_THAT(mean.backward, ElementsAre(6, 12));
  EXPECT_EQ(mean.latency, 0);
  EXPECT_DOUBLE_EQ(Makespan(Simulate(schedule, mean)), 3 + 1 + 12 + 1 + 12 + 6);
}

}  // namespace
}  // namespace hyperpp::pipeline

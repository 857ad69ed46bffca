#include "hyperpp/core/trace.h"

#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "hyperpp/core/error.h"
#include "tests/support/error_text.h"
#include "tests/support/temporary_folder.h"

namespace hyperpp {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

std::string RefusalOf(const std::string& path) {
  return test::ErrorText<InputError>([&] { ReadTrace(path); });
}

TEST(TraceTest, SpanLastsAsLongAsItsObject) {
  Trace trace;
  trace.set_recording(true);
  const int64_t before = TraceClockNs();
  {
    const TraceSpan outer(&trace, TraceLane::kStep, "step", {{"step", 12}});
    const TraceSpan inner(&trace, TraceLane::kCompute, "0F3", {{"stage", 0}, {"microbatch", 3}});
  }
  const int64_t after = TraceClockNs();
  ASSERT_EQ(trace.events().size(), 2U);
  const TraceEvent &inner = trace.events()[0], &outer = trace.events()[1];
  EXPECT_EQ(inner.name, "0F3") << "what ends first comes first";
  EXPECT_EQ(inner.lane, TraceLane::kCompute);
  EXPECT_THAT(inner.arguments, ElementsAre(Pair("stage", 0), Pair("microbatch", 3)));
  EXPECT_LE(before, outer.start_ns);
  EXPECT_LE(outer.start_ns, inner.start_ns);
  EXPECT_LE(inner.start_ns, inner.end_ns);
  EXPECT_LE(inner.end_ns, outer.end_ns);
  EXPECT_LE(outer.end_ns, after);
}

TEST(TraceTest, NothingIsRecordedWithoutATraceOrOutsideItsSteps) {
  { const TraceSpan span(nullptr, TraceLane::kCompute, "0F0"); }
  Trace trace;
  EXPECT_FALSE(trace.recording());
  { const TraceSpan span(&trace, TraceLane::kCompute, "0F0"); }
  trace.set_recording(true);
  { const TraceSpan span(&trace, TraceLane::kCompute, "0F1"); }
  trace.set_recording(false);
  { const TraceSpan span(&trace, TraceLane::kCompute, "0F2"); }
  ASSERT_EQ(trace.events().size(), 1U);
  EXPECT_EQ(trace.events()[0].name, "0F1");
}

TEST(TraceTest, SpanThatBeganWhileRecordingIsKept) {
  Trace trace;
  trace.set_recording(true);
  {
    const TraceSpan span(&trace, TraceLane::kStep, "step");
    trace.set_recording(false);
  }
  EXPECT_EQ(trace.events().size(), 1U);
}

TEST(TraceTest, FileIsInTheTraceEventFormat) {
  const test::TemporaryFolder folder;
  Trace trace;
  trace.Add({TraceLane::kWait, "0RECV_B1", 2'000'000'500, 2'000'250'500, {{"stage", 0}}});
  trace.Write((folder / "format.json").string(), 3, "rank 3 (pp 1)");
  std::ifstream in((folder / "format.json").string());
  const nlohmann::json events = nlohmann::json::parse(in).at("traceEvents");
  ASSERT_EQ(events.size(), 6U) << "the process, four lanes, one span";
  EXPECT_EQ(events[0], nlohmann::json({{"ph", "M"},
                                       {"name", "process_name"},
                                       {"pid", 3},
                                       {"tid", 0},
                                       {"args", {{"name", "rank 3 (pp 1)"}}}}));
  const char* lanes[] = {"step", "compute", "communication", "wait"};
  for (int lane = 0; lane < 4; ++lane) {
    EXPECT_EQ(events[1 + lane]["name"], "thread_name");
    EXPECT_EQ(events[1 + lane]["tid"], lane);
    EXPECT_EQ(events[1 + lane]["args"]["name"], lanes[lane]);
  }
  EXPECT_EQ(events[5], nlohmann::json({{"ph", "X"},
                                       {"name", "0RECV_B1"},
                                       {"pid", 3},
                                       {"tid", 3},
                                       {"ts", 2000000.5},
                                       {"dur", 250.0},
                                       {"args", {{"stage", 0}}}}))
      << "times in microseconds";
}

TEST(TraceTest, ReadingGivesBackWhatWasWritten) {
  const test::TemporaryFolder folder;
  Trace trace;
  // Twenty days of uptime: nanoseconds must survive the microseconds of the file.
  const int64_t start = 20LL * 24 * 3600 * 1'000'000'000 + 123'456'789;
  trace.Add({TraceLane::kStep, "step", start, start + 1, {{"step", 1LL << 40}}});
  trace.Add({TraceLane::kCompute, "5B11", start + 7, start + 1'000'000'007, {}});
  trace.Add({TraceLane::kCommunication, "a \"quoted\" name", start, start, {{"stage", -1}}});
  trace.Add({TraceLane::kWait, "agree", start + 3, start + 11, {}});
  for (int64_t i = 0; i < 1000; ++i)
    trace.Add({TraceLane::kCompute, "0F0", start + 1009 * i, start + 1009 * i + 17 * i, {}});
  trace.Write((folder / "round_trip.json").string(), 0, "rank 0");
  const std::vector<TraceEvent> read = ReadTrace((folder / "round_trip.json").string());
  ASSERT_EQ(read.size(), trace.events().size());
  for (std::size_t i = 0; i < read.size(); ++i) {
    const TraceEvent& expected = trace.events()[i];
    EXPECT_EQ(read[i].lane, expected.lane);
    EXPECT_EQ(read[i].name, expected.name);
    EXPECT_EQ(read[i].start_ns, expected.start_ns);
    EXPECT_EQ(read[i].end_ns, expected.end_ns);
    EXPECT_EQ(read[i].arguments, expected.arguments);
  }
}

TEST(TraceTest, EmptyTraceIsAFileWithoutSpans) {
  const test::TemporaryFolder folder;
  Trace().Write((folder / "empty.json").string(), 0, "rank 0");
  EXPECT_THAT(ReadTrace((folder / "empty.json").string()), IsEmpty());
}

TEST(TraceTest, DamagedAndForeignFilesAreRefusedByName) {
  const test::TemporaryFolder folder;
  const char* advice = "name a file that output.trace wrote";
  for (const std::string& text :
       {std::string(""), std::string("{\"traceEvents\": [{\"ph\": \"X\", \"na"),
        std::string("{\"events\": []}"), std::string("{\"traceEvents\": [{\"ph\": \"X\"}]}"),
        std::string("{\"traceEvents\": [{\"ph\": \"X\", \"tid\": 0, \"name\": \"a\", \"ts\": "
                    "\"now\", \"dur\": 1, \"args\": {}}]}")}) {
    const std::string refusal = RefusalOf(folder.Write("damaged.json", text));
    EXPECT_THAT(refusal, HasSubstr("damaged.json: no trace of hyperpp")) << text;
    EXPECT_THAT(refusal, HasSubstr(advice)) << text;
  }
  const std::string lane = RefusalOf(folder.Write(
      "foreign.json",
      R"({"traceEvents": [{"ph": "X", "tid": 4711, "name": "a", "ts": 0, "dur": 1, "args": {}}]})"));
  EXPECT_THAT(lane, HasSubstr("foreign.json: lane 4711"));
  EXPECT_THAT(lane, HasSubstr(advice));
}

TEST(TraceTest, FilesThatCannotBeOpenedAreTheMachinesFault) {
  const test::TemporaryFolder folder;
  EXPECT_THROW(ReadTrace((folder / "no_such_file.json").string()), IoError);
  EXPECT_THROW(Trace().Write((folder / "no_such_folder").string() + "/a.json", 0, "rank 0"),
               IoError);
}

}  // namespace
}  // namespace hyperpp

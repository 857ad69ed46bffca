#include "hyperpp/pipeline/schedule/validator.h"

#include <algorithm>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hyperpp/core/error.h"
#include "hyperpp/pipeline/schedule/interleaved_1f1b.h"
#include "hyperpp/pipeline/schedule/schedule_text.h"
#include "hyperpp/pipeline/schedule/schedules.h"

namespace hyperpp::pipeline {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// The first violation of a table of one microbatch or more, as "rank.position fact".
std::string ViolationIn(const Schedule& schedule, const std::vector<int>& bounds = {}) {
  const auto violation = FindViolation(schedule, bounds);
  if (!violation) return "";
  return std::to_string(violation->rank) + "." + std::to_string(violation->position) + " " +
         violation->fact;
}

std::string ViolationIn(const std::string& text, const std::vector<int>& bounds = {}) {
  return ViolationIn(ParseSchedule(text, "table"), bounds);
}

TEST(ValidatorTest, LegalTablesPass) {
  EXPECT_EQ(ViolationIn("0F0,0B0\n1F0,1B0\n"), "");
  EXPECT_EQ(ViolationIn("0UNSHARD,0F0,0B0,0RESHARD,0REDUCE_GRAD\n1F0,1B0\n"), "");
  EXPECT_EQ(ViolationIn("0F0,0SEND_F0,0RECV_B0,0B0\n1RECV_F0,1F0,1B0,1SEND_B0\n"), "");
}

TEST(ValidatorTest, MissingActionIsReportedAtTheEnd) {
  EXPECT_THAT(ViolationIn("0F0,0B0,0F1,0B1\n1F0,1B0,1F1\n"), StartsWith("1.3 1B1 is missing"));
  EXPECT_THAT(ViolationIn("0F0,0SEND_F0,0RECV_B0,0B0\n1RECV_F0,1F0,1B0\n"),
              StartsWith("1.3 1SEND_B0 is missing"));
  EXPECT_THAT(ViolationIn("0F0,0SEND_F0,0B0\n1RECV_F0,1F0,1B0,1SEND_B0\n"),
              StartsWith("0.3 0RECV_B0 is missing"));
}

TEST(ValidatorTest, DuplicateIsReported) {
  EXPECT_THAT(ViolationIn("0F0,0B0\n1F0,1B0,1B0\n"),
              StartsWith("1.2 stands at position 1 already"));
}

TEST(ValidatorTest, ActionOfAnotherRankIsReported) {
  EXPECT_THAT(ViolationIn("0F0,1F0,0B0\n1F0,1B0\n"), StartsWith("0.1 stage 1 belongs to rank 1"));
}

TEST(ValidatorTest, IndicesOutsideTheShapeAreReported) {
  Schedule schedule = OneFOneB({2, 1, 2});
  schedule.ranks[1][2].microbatch = {7};
  EXPECT_THAT(ViolationIn(schedule), StartsWith("1.2 microbatch 7 does not exist, there are 2"));
  schedule.ranks[1][2] = Forward({5}, {0});
  EXPECT_THAT(ViolationIn(schedule), StartsWith("1.2 stage 5 does not exist, there are 2"));
}

TEST(ValidatorTest, MessageWithoutNeighbourIsReported) {
  EXPECT_THAT(ViolationIn("0F0,0SEND_F0,0RECV_B0,0B0\n1RECV_F0,1F0,1SEND_F0,1B0,1SEND_B0\n"),
              StartsWith("1.2 no other rank holds the neighbour of stage 1"));
}

TEST(ValidatorTest, WrongOrderOnARankIsReported) {
  EXPECT_THAT(ViolationIn("0F0,0B0\n1B0,1F0\n"),
              StartsWith("1.0 stands before 1F0 at position 1, which it needs"));
  EXPECT_THAT(ViolationIn("0SEND_F0,0F0,0RECV_B0,0B0\n1RECV_F0,1F0,1B0,1SEND_B0\n"),
              StartsWith("0.0 stands before 0F0 at position 1"));
  EXPECT_THAT(ViolationIn("0F0,0SEND_F0,0RECV_B0,0B0\n1F0,1RECV_F0,1B0,1SEND_B0\n"),
              StartsWith("1.0 stands before 1RECV_F0 at position 1"));
  EXPECT_THAT(ViolationIn("1F0,0F0,1B0,0B0\n"), StartsWith("0.0 stands before 0F0 at position 1"));
}

TEST(ValidatorTest, CrossedSendsAreADeadlock) {
  EXPECT_THAT(
      ViolationIn("0F0,0SEND_F0,0F1,0SEND_F1,0RECV_B0,0B0,0RECV_B1,0B1\n"
                  "1RECV_F0,1F0,1B0,1SEND_B0,1RECV_F1,1F1,1B1,1SEND_B1\n"),
      StartsWith("0.3 deadlock: rank 0 waits at 0SEND_F1 for 1RECV_F1 of rank 1, rank 1 waits at "
                 "1SEND_B0 for 0RECV_B0 of rank 0"));
}

TEST(ValidatorTest, ReceivesInAnotherOrderThanSendsAreADeadlock) {
  EXPECT_THAT(ViolationIn("0F0,0SEND_F0,0F1,0SEND_F1,0RECV_B0,0B0,0RECV_B1,0B1\n"
                          "1RECV_F1,1F1,1RECV_F0,1F0,1B0,1SEND_B0,1B1,1SEND_B1\n"),
              HasSubstr("deadlock: rank 0 waits at 0SEND_F0"));
}

TEST(ValidatorTest, ReceiveBeforeTheSendThatLeadsToItIsADeadlock) {
  EXPECT_THAT(ViolationIn("0F0,0RECV_B0,0SEND_F0,0B0\n1RECV_F0,1F0,1B0,1SEND_B0\n"),
              StartsWith("0.1 deadlock: rank 0 waits at 0RECV_B0 for 1SEND_B0 of rank 1, rank 1 "
                         "waits at 1RECV_F0 for 0SEND_F0 of rank 0"));
}

TEST(ValidatorTest, ComputeThatWaitsInACircleIsADeadlock) {
  EXPECT_THAT(ViolationIn("0F0,0B0,0F1,0B1\n1F0,1F1,1B0,1B1\n"),
              StartsWith("0.1 deadlock: rank 0 waits at 0B0 for 1B0 of rank 1"));
}

TEST(ValidatorTest, InFlightBoundHolds) {
  EXPECT_EQ(ViolationIn("0F0,0F1,0B0,0B1\n1F0,1B0,1F1,1B1\n", {2, 1}), "");
  EXPECT_THAT(ViolationIn("0F0,0F1,0B0,0B1\n1F0,1B0,1F1,1B1\n", {1, 1}),
              StartsWith("0.1 2 passes are in flight, but rank 0 may hold 1"));
}

TEST(ValidatorTest, ErrorShowsPlaceAndGrid) {
  try {
    ValidateSchedule(ParseSchedule("0F0,0F1,0B0,0B1\n1F1,1B0,1F0,1B1\n", "table.csv"));
    FAIL();
  } catch (const PlanError& error) {
    EXPECT_STREQ(error.what(),
                 "rank 1: table.csv position 1, action 1B0: stands before 1F0 at position 2, which "
                 "it needs; move it behind\n"
                 "  rank 0   0F0   0F1   0B0   0B1\n"
                 "> rank 1   1F1  [1B0]  1F0   1B1");
  }
}

// Each action of a legal schedule matters: without it, twice, or elsewhere, the schedule is refused
// or, where the place does not matter, still ends.
TEST(ValidatorTest, EveryRemovalAndCopyIsRefused) {
  for (const ScheduleShape& shape : {ScheduleShape{2, 2, 3}, ScheduleShape{3, 2, 4}}) {
    const Schedule good = MakeSchedule("interleaved1f1b", shape);
    for (size_t rank = 0; rank < good.ranks.size(); ++rank) {
      for (size_t i = 0; i < good.ranks[rank].size(); ++i) {
        const auto at = static_cast<std::ptrdiff_t>(i);
        Schedule broken = good;
        broken.ranks[rank].erase(broken.ranks[rank].begin() + at);
        EXPECT_TRUE(FindViolation(broken)) << "without " << FormatAction(good.ranks[rank][i]);
        broken = good;
        broken.ranks[rank].push_back(good.ranks[rank][i]);
        EXPECT_TRUE(FindViolation(broken)) << "twice " << FormatAction(good.ranks[rank][i]);
      }
    }
  }
}

TEST(ValidatorTest, SwappedMessagesAreRefused) {
  const Schedule good = MakeSchedule("1f1b", {3, 1, 5});
  for (size_t rank = 0; rank < good.ranks.size(); ++rank) {
    for (size_t i = 0; i + 1 < good.ranks[rank].size(); ++i) {
      Schedule swapped = good;
      std::swap(swapped.ranks[rank][i], swapped.ranks[rank][i + 1]);
      const Action &first = good.ranks[rank][i], &second = good.ranks[rank][i + 1];
      const bool same_neighbour =
          IsCommunication(first.type) && IsCommunication(second.type) &&
          good.shape.RankOf(PartnerOf(first).stage) == good.shape.RankOf(PartnerOf(second).stage);
      if (same_neighbour) {
        EXPECT_TRUE(FindViolation(swapped)) << FormatAction(first) << " " << FormatAction(second);
      }
    }
  }
}

}  // namespace
}  // namespace hyperpp::pipeline

#include "hyperpp/pipeline/schedule/schedule_text.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hyperpp/core/error.h"
#include "hyperpp/pipeline/schedule/insert_communication.h"
#include "hyperpp/pipeline/schedule/interleaved_1f1b.h"
#include "hyperpp/pipeline/schedule/one_f_one_b.h"

namespace hyperpp::pipeline {
namespace {

using ::testing::HasSubstr;

std::string RefusalOf(const std::string& text) {
  try {
    ParseSchedule(text, "table.csv");
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(ScheduleTextTest, OneLinePerRank) {
  EXPECT_EQ(FormatSchedule(OneFOneB({2, 1, 2})),
            "0F0,0F1,0B0,0B1\n"
            "1F0,1B0,1F1,1B1\n");
}

TEST(ScheduleTextTest, ParsingReversesFormatting) {
  Schedule schedule = InsertCommunication(Interleaved1F1B({3, 2, 4}));
  schedule.name = "table.csv";
  EXPECT_EQ(ParseSchedule(FormatSchedule(schedule), "table.csv"), schedule);
}

TEST(ScheduleTextTest, EmptyCellsOfTorchAreSkipped) {
  const Schedule schedule = ParseSchedule("0F0,,,0B0\r\n,1F0,1B0,\r\n", "table.csv");
  EXPECT_EQ(FormatSchedule(schedule), "0F0,0B0\n1F0,1B0\n");
  EXPECT_EQ(schedule.shape, (ScheduleShape{2, 1, 1}));
}

TEST(ScheduleTextTest, DamageIsReportedWithLineAndColumn) {
  EXPECT_THAT(RefusalOf("0F0,0B0\n1F0,oops\n"), HasSubstr("table.csv, line 2, column 2: \"oops\""));
  EXPECT_THAT(RefusalOf("0F0,0B999999\n"), HasSubstr("table.csv, line 1, column 2: 0B999999"));
  EXPECT_THAT(RefusalOf(""), HasSubstr("table.csv: no lines"));
}

}  // namespace
}  // namespace hyperpp::pipeline

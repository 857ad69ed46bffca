#include "hyperpp/trainer/progress.h"

#include <gtest/gtest.h>

namespace hyperpp::trainer {
namespace {

TEST(ProgressTest, DurationsAreShortToRead) {
  EXPECT_EQ(DurationText(12.4), "12s");
  EXPECT_EQ(DurationText(250), "4m 10s");
  EXPECT_EQ(DurationText(7500), "2h 05m");
}

TEST(ProgressTest, RatesAreRounded) {
  EXPECT_EQ(RateText(870), "870");
  EXPECT_EQ(RateText(12400), "12.4k");
  EXPECT_EQ(RateText(1.34e6), "1.3M");
}

TEST(ProgressTest, WithoutATerminalOnlyEveryIntervalIsShown) {
  const Log log(0, 1);
  Progress progress(log, 1, 10, 5);
  ::testing::internal::CaptureStdout();
  for (int64_t step = 1; step <= 10; ++step) progress.Show({.step = step, .loss = 2.5});
  const std::string text = ::testing::internal::GetCapturedStdout();
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2);
  EXPECT_NE(text.find("step 5/10  loss 2.5000"), std::string::npos);
  EXPECT_NE(text.find("step 10/10"), std::string::npos);
}

}  // namespace
}  // namespace hyperpp::trainer

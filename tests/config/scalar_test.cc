#include "hyperpp/config/scalar.h"

#include <gtest/gtest.h>

namespace hyperpp::config {
namespace {

TEST(ScalarTest, NumbersMayBeWrittenWithAnExponentWithoutAPoint) {
  EXPECT_EQ(ParseNumber("1e-4"), 1e-4);
  EXPECT_EQ(ParseNumber("1.0e-4"), 1e-4);
  EXPECT_EQ(ParseNumber("+.5"), 0.5);
  EXPECT_EQ(ParseNumber("-3"), -3.0);
}

TEST(ScalarTest, WhatIsNoFiniteNumberIsNone) {
  for (const char* text : {"", "-", "+", "many", "1.0.0", "1e", ".inf", "nan", "inf", "1e999",
                           "+-1", "0x10", "010", "1 2", "1_000"}) {
    EXPECT_EQ(ParseNumber(text), std::nullopt) << text;
    EXPECT_EQ(ParseInteger(text), std::nullopt) << text;
  }
}

TEST(ScalarTest, WholeFloatsAreIntegersAndOthersAreNot) {
  EXPECT_EQ(ParseInteger("1e6"), 1000000);
  EXPECT_EQ(ParseInteger("2.0"), 2);
  EXPECT_EQ(ParseInteger("-1"), -1);
  EXPECT_EQ(ParseInteger("1.5"), std::nullopt);
  EXPECT_EQ(ParseInteger("1e17"), std::nullopt);
  EXPECT_EQ(ParseInteger("9223372036854775807"), INT64_MAX);
  EXPECT_EQ(ParseInteger("9223372036854775808"), std::nullopt);
}

TEST(ScalarTest, OnlyTrueAndFalseAreBooleans) {
  EXPECT_EQ(ParseBoolean("true"), true);
  EXPECT_EQ(ParseBoolean("False"), false);
  for (const char* text : {"yes", "no", "on", "0", "1", "", "tRUE"}) {
    EXPECT_EQ(ParseBoolean(text), std::nullopt) << text;
  }
}

TEST(ScalarTest, JsonKeepsIntegersAndFloatsApart) {
  EXPECT_TRUE(ScalarToJson("10000").is_number_integer());
  EXPECT_TRUE(ScalarToJson("10000.0").is_number_float());
  EXPECT_TRUE(ScalarToJson("1e4").is_number_float());
  EXPECT_TRUE(ScalarToJson("~").is_null());
  EXPECT_TRUE(ScalarToJson("true").is_boolean());
  EXPECT_EQ(ScalarToJson("010"), "010");
}

TEST(ScalarTest, FlowTextQuotesTextThatLooksLikeSomethingElse) {
  EXPECT_EQ(FlowText("adamw"), "adamw");
  EXPECT_EQ(FlowText("some/path-1.bin"), "some/path-1.bin");
  for (const char* text : {"true", "no", "12", "1e5", "", "null", "*", "a: b", "- x", "0x10"}) {
    EXPECT_EQ(FlowText(text), "\"" + std::string(text) + "\"");
  }
  EXPECT_EQ(FlowText(nlohmann::json::parse(R"([0.9, {"path": "x", "weight": 2.0}])")),
            "[0.9, {path: x, weight: 2.0}]");
}

}  // namespace
}  // namespace hyperpp::config

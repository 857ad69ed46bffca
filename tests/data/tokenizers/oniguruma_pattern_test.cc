#include "hyperpp/data/tokenizers/oniguruma_pattern.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hyperpp/core/error.h"

namespace hyperpp::data {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(OnigurumaPatternTest, WhatMeansTheSameStays) {
  for (const char* pattern : {R"((?i:'s|'t)|[^\r\n\p{L}\p{N}]?\p{Nd})", R"(a*+b++c?+d*?(?=e)(?!f))",
                              R"((?<=a)(?<!b)(?>c)[a-z\]\-]^$)"}) {
    std::string expected(pattern);
    if (const size_t at = expected.find("?\\p{Nd}"); at != std::string::npos) {
      expected.replace(at + 1, 6, "[\\p{Nd}]");
    }
    EXPECT_EQ(TranslateOnigurumaPattern(pattern), expected);
  }
}

TEST(OnigurumaPatternTest, ClassesAreSpelledOut) {
  EXPECT_EQ(TranslateOnigurumaPattern(R"(\d[\d]\p{Han}[^\p{Han}])"),
            R"([\p{Nd}][\p{Nd}][\p{sc:Han}][^\p{sc:Han}])");
  EXPECT_THAT(TranslateOnigurumaPattern(R"(\s)"), HasSubstr(R"(\x{85})"));
  EXPECT_EQ(TranslateOnigurumaPattern(R"(\P{^L})"), R"([\p{L}])");
}

TEST(OnigurumaPatternTest, OutsideSetsWordCharactersHaveTheNumbersOfLatin1) {
  EXPECT_THAT(TranslateOnigurumaPattern(R"(\w)"), HasSubstr(R"(\x{b2})"));
  EXPECT_EQ(TranslateOnigurumaPattern(R"([\w])"), R"([\p{Alphabetic}\p{M}\p{Nd}\p{Pc}])");
}

TEST(OnigurumaPatternTest, QuantifiersOfRubyAreWrapped) {
  EXPECT_EQ(TranslateOnigurumaPattern("a{2}+"), "(?:a{2})+");
  EXPECT_EQ(TranslateOnigurumaPattern("x(?:a|b){1,3}+"), "x(?:(?:a|b){1,3})+");
  EXPECT_EQ(TranslateOnigurumaPattern("[ab]{2}?"), "(?:[ab]{2})?");
  EXPECT_EQ(TranslateOnigurumaPattern("a{1,2}?"), "a{1,2}?");
  EXPECT_EQ(TranslateOnigurumaPattern("a{,3}"), "a{0,3}");
  EXPECT_EQ(TranslateOnigurumaPattern("a{b}"), "a\\{b}");
}

TEST(OnigurumaPatternTest, GroupsSetsAndCodePoints) {
  EXPECT_EQ(TranslateOnigurumaPattern("(a)(?<n>b)(?m:.)"), "(?:a)(?:b)(?s:.)");
  EXPECT_EQ(TranslateOnigurumaPattern("(?i)a|b"), "(?i)a|b");
  EXPECT_EQ(TranslateOnigurumaPattern("[a[bc]d]"), "[abcd]");
  EXPECT_EQ(TranslateOnigurumaPattern(R"(\u4e2d\x41\x{1F600}\v)"),
            R"(\x{4e2d}\x{41}\x{1f600}\x{b})");
}

TEST(OnigurumaPatternTest, WhatHasNoCounterpartIsRefusedByName) {
  const struct {
    const char* pattern;
    const char* message;
  } kCases[] = {
      {"a\\b", "byte 1: \\b is not supported"},
      {"\\h", "\\h is not supported"},
      {"(a)\\1", "\\1 is not supported"},
      {"[a&&b]", "&& (intersection of sets)"},
      {"[[:alpha:]]", "a POSIX bracket"},
      {"[a[^b]]", "a negated set inside a set"},
      {"a(?i)b", "the group (?i)"},
      {"(?#x)", "the group (?#x"},
      {"\\p{Klingon}", "\\p{Klingon}"},
      {"\\pL", "\\p without {name}"},
      {"\\xE9", "this code point"},
      {"[a", "a [ without ]"},
      {"a)", "a ) without ("},
      {"a\\", "a backslash at the end"},
      {"[\\W]", "\\W in a set"},
      {"\xFF", "a byte that is not UTF-8"},
  };
  for (const auto& c : kCases) {
    EXPECT_THAT([&] { TranslateOnigurumaPattern(c.pattern); },
                ThrowsMessage<InputError>(HasSubstr(c.message)))
        << c.pattern;
  }
}

TEST(OnigurumaPatternTest, LiteralsAreQuoted) {
  EXPECT_EQ(QuoteForPcre2("a.b|\u4e2d-"), "a\\.b\\|\u4e2d\\-");
}

}  // namespace
}  // namespace hyperpp::data

#include "hyperpp/data/tokenizers/split_pattern.h"

#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hyperpp/core/error.h"
#include "hyperpp/data/tokenizers/oniguruma_pattern.h"

namespace hyperpp::data {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

std::vector<std::string> Matches(const std::string& pattern, std::string_view text) {
  const SplitPattern split(TranslateOnigurumaPattern(pattern));
  SplitPattern::Scanner scanner(split);
  scanner.Start(text);
  std::vector<std::string> matches;
  while (const auto match = scanner.Next()) {
    matches.emplace_back(text.substr(match->begin, match->end - match->begin));
  }
  return matches;
}

TEST(SplitPatternTest, FindsMatchesInOrder) {
  EXPECT_THAT(Matches(R"(\p{L}+|\p{N})", "ab1 \u4e2d\u6587 23"),
              ElementsAre("ab", "1", "\u4e2d\u6587", "2", "3"));
}

TEST(SplitPatternTest, EmptyMatchesStandOnlyWhereNoMatchEnded) {
  EXPECT_THAT(Matches("x*", "\u00e9xx\u00e9"), ElementsAre("", "xx", ""));
}

TEST(SplitPatternTest, LookaheadLeavesTheLastSpace) {
  EXPECT_THAT(Matches(R"(\s+(?!\S)|\s+)", "a   b \n"), ElementsAre("  ", " ", " \n"));
}

TEST(SplitPatternTest, ZeroWidthAndMongolianSeparatorsAreNoWhitespace) {
  EXPECT_THAT(Matches(R"(\s)", "\u180e\u200b\u200d\ufeff\u0085\u00a0\u3000"),
              ElementsAre("\u0085", "\u00a0", "\u3000"));
}

TEST(SplitPatternTest, LettersNewerThanPcre2AreLetters) {
  EXPECT_THAT(Matches(R"(\p{L}+)", "a\U00031350 \U0002ebf0b"),
              ElementsAre("a\U00031350", "\U0002ebf0b"));
}

TEST(SplitPatternTest, CaseIsFoldedAsInUnicode) {
  EXPECT_THAT(Matches("(?i:'s)", "'s'S'\u017f"), ElementsAre("'s", "'S", "'\u017f"));
}

TEST(SplitPatternTest, AScannerServesOneTextAfterTheOther) {
  const SplitPattern split("b+");
  SplitPattern::Scanner scanner(split);
  scanner.Start("abba");
  EXPECT_EQ(scanner.Next()->begin, 1u);
  scanner.Start("b");
  EXPECT_EQ(scanner.Next()->begin, 0u);
  EXPECT_FALSE(scanner.Next().has_value());
  EXPECT_FALSE(scanner.Next().has_value());
}

TEST(SplitPatternTest, DeepBacktrackingGetsALargerStack) {
  const std::string text(200000, 'a');
  EXPECT_THAT(Matches("(?:a|b)+", text), ElementsAre(text));
}

TEST(SplitPatternTest, MistakesInAPatternAreReported) {
  EXPECT_THAT([] { SplitPattern split("a(?<=b+)"); },
              ThrowsMessage<InputError>(HasSubstr("split pattern a(?<=b+): ")));
}

}  // namespace
}  // namespace hyperpp::data

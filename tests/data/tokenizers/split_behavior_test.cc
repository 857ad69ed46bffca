#include "hyperpp/data/tokenizers/split_behavior.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hyperpp::data {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> Pieces(const std::string& pattern, std::string_view text,
                                SplitBehavior behavior, bool invert = false) {
  const SplitPattern split(pattern);
  SplitPattern::Scanner scanner(split);
  std::vector<std::string> pieces;
  SplitText(scanner, text, behavior, invert,
            [&](std::string_view piece) { pieces.emplace_back(piece); });
  return pieces;
}

constexpr std::string_view kText = "the-final--countdown";

// The examples of the documentation of `tokenizers`.
TEST(SplitBehaviorTest, ExamplesOfThePackage) {
  EXPECT_THAT(Pieces("-", kText, SplitBehavior::kIsolated),
              ElementsAre("the", "-", "final", "-", "-", "countdown"));
  EXPECT_THAT(Pieces("-", kText, SplitBehavior::kRemoved),
              ElementsAre("the", "final", "countdown"));
  EXPECT_THAT(Pieces("-", kText, SplitBehavior::kContiguous),
              ElementsAre("the", "-", "final", "--", "countdown"));
  EXPECT_THAT(Pieces("-", kText, SplitBehavior::kMergedWithPrevious),
              ElementsAre("the-", "final-", "-", "countdown"));
  EXPECT_THAT(Pieces("-", kText, SplitBehavior::kMergedWithNext),
              ElementsAre("the", "-final", "-", "-countdown"));
}

TEST(SplitBehaviorTest, InvertedTheTextBetweenIsTheMatch) {
  EXPECT_THAT(Pieces("-", kText, SplitBehavior::kRemoved, true), ElementsAre("-", "-", "-"));
  EXPECT_THAT(Pieces("-", "a-b", SplitBehavior::kMergedWithPrevious, true), ElementsAre("a", "-b"));
}

TEST(SplitBehaviorTest, MatchesAtTheEnds) {
  EXPECT_THAT(Pieces("-", "--a--", SplitBehavior::kMergedWithPrevious),
              ElementsAre("-", "-", "a-", "-"));
  EXPECT_THAT(Pieces("-", "--a--", SplitBehavior::kMergedWithNext),
              ElementsAre("-", "-a", "-", "-"));
  EXPECT_THAT(Pieces("-", "", SplitBehavior::kIsolated), ElementsAre());
  EXPECT_THAT(Pieces("-", "--", SplitBehavior::kRemoved), ElementsAre());
}

TEST(SplitBehaviorTest, EmptyMatchesGiveNoPieces) {
  EXPECT_THAT(Pieces("x*", "ab", SplitBehavior::kIsolated), ElementsAre("a", "b"));
}

}  // namespace
}  // namespace hyperpp::data

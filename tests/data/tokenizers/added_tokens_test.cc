#include "hyperpp/data/tokenizers/added_tokens.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hyperpp::data {
namespace {

using ::testing::ElementsAre;

// "(text)" and "id" in order.
std::vector<std::string> Parts(std::vector<AddedToken> tokens, std::string_view text) {
  std::vector<std::string> parts;
  AddedTokenSearch(std::move(tokens))
      .Split(
          text, [&](std::string_view part) { parts.push_back("(" + std::string(part) + ")"); },
          [&](int32_t id) { parts.push_back(std::to_string(id)); });
  return parts;
}

TEST(AddedTokensTest, TokensCutTheText) {
  EXPECT_THAT(Parts({{.content = "<a>", .id = 7}}, "x<a><a>y<a"),
              ElementsAre("(x)", "7", "7", "(y<a)"));
  EXPECT_THAT(Parts({}, "x"), ElementsAre("(x)"));
  EXPECT_THAT(Parts({{.content = "<a>", .id = 7}}, ""), ElementsAre());
}

TEST(AddedTokensTest, LongestAtTheFirstPlaceCounts) {
  const std::vector<AddedToken> tokens = {
      {.content = "ab", .id = 1}, {.content = "abcd", .id = 2}, {.content = "bcde", .id = 3}};
  EXPECT_THAT(Parts(tokens, "abcde"), ElementsAre("2", "(e)"));
  EXPECT_THAT(Parts(tokens, "abcx"), ElementsAre("1", "(cx)"));
  EXPECT_THAT(Parts(tokens, "xbcde"), ElementsAre("(x)", "3"));
}

TEST(AddedTokensTest, SingleWordsHaveNoWordCharacterBeside) {
  const std::vector<AddedToken> tokens = {{.content = "word", .id = 1, .single_word = true}};
  EXPECT_THAT(Parts(tokens, "word, words sword \u00e9word word\u0301 -word"),
              ElementsAre("1", "(, words sword \u00e9word word\u0301 -)", "1"));
}

TEST(AddedTokensTest, WhitespaceBesideIsTaken) {
  EXPECT_THAT(Parts({{.content = "L", .id = 1, .lstrip = true}}, "a \u3000L b"),
              ElementsAre("(a)", "1", "( b)"));
  EXPECT_THAT(Parts({{.content = "R", .id = 1, .rstrip = true}}, "a R\n\u00a0b"),
              ElementsAre("(a )", "1", "(b)"));
  EXPECT_THAT(Parts({{.content = "B", .id = 1, .lstrip = true, .rstrip = true}}, " B  B "),
              ElementsAre("1", "1"));
}

TEST(AddedTokensTest, OfEqualContentsTheFirstCounts) {
  EXPECT_THAT(Parts({{.content = "a", .id = 1}, {.content = "a", .id = 2}}, "a"), ElementsAre("1"));
}

}  // namespace
}  // namespace hyperpp::data

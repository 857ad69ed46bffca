#include "hyperpp/data/tokenizers/pre_tokenizer.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hyperpp/data/tokenizers/oniguruma_pattern.h"

namespace hyperpp::data {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> Pieces(const PreTokenizer& chain, std::string_view text) {
  std::vector<std::string> pieces;
  PreTokenizer::Pass pass(chain);
  pass.Split(text, [&](std::string_view piece) { pieces.emplace_back(piece); });
  return pieces;
}

TEST(PreTokenizerTest, WithoutStepsTextIsOnePiece) {
  EXPECT_THAT(Pieces(PreTokenizer(), "a b"), ElementsAre("a b"));
}

TEST(PreTokenizerTest, ThePatternOfGpt2) {
  PreTokenizer chain;
  chain.AddSplit(SplitPattern(TranslateOnigurumaPattern(kGpt2Pattern)), SplitBehavior::kIsolated,
                 false);
  EXPECT_THAT(Pieces(chain, "We'll see  2 (two)\n"),
              ElementsAre("We", "'ll", " see", " ", " 2", " (", "two", ")", "\n"));
}

TEST(PreTokenizerTest, EachStepCutsThePiecesOfTheOneBefore) {
  PreTokenizer chain;
  chain.AddSplit(SplitPattern("[0-9]{1,3}"), SplitBehavior::kIsolated, false);
  chain.AddSplit(SplitPattern("^ab"), SplitBehavior::kIsolated, false);
  EXPECT_THAT(Pieces(chain, "abab1234ab"), ElementsAre("ab", "ab", "123", "4", "ab"));
}

TEST(PreTokenizerTest, PrefixSpaceStandsBeforeEachPiece) {
  PreTokenizer chain;
  chain.AddSplit(SplitPattern("-"), SplitBehavior::kIsolated, false);
  chain.AddPrefixSpace();
  EXPECT_THAT(Pieces(chain, "a- b"), ElementsAre(" a", " -", " b"));
}

}  // namespace
}  // namespace hyperpp::data

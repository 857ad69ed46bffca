#include "hyperpp/data/synthetic_source.h"

#include <map>
#include <set>
#include <utility>

#include <gtest/gtest.h>

namespace hyperpp::data {
namespace {

SourceOptions Options(int64_t seed, bool for_evaluation = false) {
  SourceOptions options;
  options.sequence_length = 64;
  options.vocab_size = 50;
  options.seed = seed;
  options.for_evaluation = for_evaluation;
  return options;
}

TEST(SyntheticSourceTest, SampleDependsOnSeedAndIndexOnly) {
  const SyntheticSource source(Options(1), std::nullopt), same(Options(1), std::nullopt),
      other(Options(2), std::nullopt);
  EXPECT_EQ(source.Read(5).tokens, same.Read(5).tokens);
  EXPECT_NE(source.Read(5).tokens, source.Read(6).tokens);
  EXPECT_NE(source.Read(5).tokens, other.Read(5).tokens);
  EXPECT_EQ(source.Read(source.NumSamples() - 1).length(), 64);
}

TEST(SyntheticSourceTest, LabelsAreTheNextTokensAndAllAreInTheVocabulary) {
  const Sample sample = SyntheticSource(Options(1), std::nullopt).Read(3);
  for (size_t i = 0; i + 1 < sample.tokens.size(); ++i)
    EXPECT_EQ(sample.labels[i], sample.tokens[i + 1]);
  for (const int32_t token : sample.tokens) EXPECT_TRUE(token >= 0 && token < 50);
  EXPECT_EQ(sample.NumLabels(), 64);
}

// Three of four tokens follow the fixed rule; of 12800 the share is 0.75 + 0.25/50 within 4 sigma.
TEST(SyntheticSourceTest, ThereIsARuleToLearnAndEvaluationHasTheSameOne) {
  std::map<int32_t, std::map<int32_t, int>> followers;
  std::set<std::vector<int32_t>> seen;
  const SyntheticSource training(Options(1), std::nullopt);
  for (int64_t i = 0; i < 200; ++i) {
    const Sample sample = training.Read(i);
    for (size_t k = 0; k < 64; ++k) ++followers[sample.tokens[k]][sample.labels[k]];
    seen.insert(sample.tokens);
  }
  const auto next = [&](int32_t token) {
    std::pair<int32_t, int> best{-1, 0};
    for (const auto& [follower, count] : followers[token])
      if (count > best.second) best = {follower, count};
    return best.first;
  };
  const SyntheticSource evaluation(Options(1, true), std::nullopt);
  int num_kept = 0;
  for (int64_t i = 0; i < 200; ++i) {
    const Sample sample = evaluation.Read(i);
    for (size_t k = 0; k < 64; ++k) num_kept += next(sample.tokens[k]) == sample.labels[k];
    EXPECT_FALSE(seen.count(sample.tokens));
  }
  EXPECT_NEAR(num_kept / 12800.0, 0.755, 0.016);
}

}  // namespace
}  // namespace hyperpp::data

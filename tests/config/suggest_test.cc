#include "hyperpp/config/suggest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hyperpp/config/schema.h"

namespace hyperpp::config {
namespace {

using ::testing::Contains;
using ::testing::StartsWith;

TEST(SuggestTest, SynonymsOfTheSectionWinOverThoseOfOthers) {
  const auto schema = Schema();
  EXPECT_EQ(SuggestKey(schema, "optimizer", "learning_rate"), "did you mean lr");
  EXPECT_EQ(SuggestKey(schema, "optimizer", "learning_rat"), "did you mean lr")
      << "a misspelt synonym";
  EXPECT_EQ(SuggestKey(schema, "training", "batch_size"), "did you mean global_batch_size");
  EXPECT_EQ(SuggestKey(schema, "pipeline", "micro_batch_size"), "did you mean pp_microbatch_size");
  EXPECT_EQ(SuggestKey(schema, "evaluation", "dataset"), "did you mean data");
}

TEST(SuggestTest, KeysOfOtherSectionsAreNamedWithTheirSection) {
  const auto schema = Schema();
  EXPECT_EQ(SuggestKey(schema, "training", "lr"), "it belongs elsewhere: optimizer.lr");
  EXPECT_EQ(SuggestKey(schema, "optimizer", "steps"), "it belongs elsewhere: training.steps");
  EXPECT_EQ(SuggestKey(schema, "data", "max_steps"), "did you mean training.steps");
  EXPECT_EQ(SuggestSection(schema, "tp_size"), "it belongs into a section: accelerator.tp_size");
  EXPECT_EQ(SuggestSection(schema, "learning_rate"), "did you mean optimizer.lr");
}

TEST(SuggestTest, MisspellingsGetTheNearestAndOthersTheWholeList) {
  const auto schema = Schema();
  EXPECT_EQ(SuggestKey(schema, "training", "setps"), "did you mean steps");
  EXPECT_EQ(SuggestKey(schema, "indexer", "zebra"), "the keys of indexer are loss_coef, mode");
  EXPECT_EQ(SuggestSection(schema, "trainig"), "did you mean training");
  EXPECT_THAT(SuggestSection(schema, "zebra"), StartsWith("the sections are model, training,"));
}

TEST(SuggestTest, EverySynonymLeadsToAKeyThatExists) {
  const auto schema = Schema();
  for (const std::string& path : SynonymTargets()) {
    const auto dot = path.rfind('.');
    EXPECT_THAT(KeyNames(schema, path.substr(0, dot)), Contains(path.substr(dot + 1))) << path;
  }
}

}  // namespace
}  // namespace hyperpp::config

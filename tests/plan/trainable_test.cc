#include "hyperpp/plan/trainable.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hyperpp::plan {
namespace {

using ::testing::ElementsAre;

TEST(TrainableTest, PatternsMatchWholeNames) {
  EXPECT_TRUE(MatchesPattern("*", "model.norm.weight"));
  EXPECT_TRUE(MatchesPattern("*", ""));
  EXPECT_TRUE(MatchesPattern("model.layers.*.mlp.*", "model.layers.12.mlp.up_proj.weight"));
  EXPECT_TRUE(MatchesPattern("model.layers.?.mlp*", "model.layers.1.mlp"));
  EXPECT_FALSE(MatchesPattern("model.layers.?.mlp*", "model.layers.12.mlp"));
  EXPECT_TRUE(MatchesPattern("*norm.weight", "model.layernorm.norm.weight"));
  EXPECT_FALSE(MatchesPattern("norm", "model.norm.weight"));
  EXPECT_FALSE(MatchesPattern("model.norm.weight", "model.norm"));
  EXPECT_FALSE(MatchesPattern("", "x"));
}

TEST(TrainableTest, TiedHeadTrainsTheTensorItShares) {
  ModelOutline outline;
  outline.parameters = {{"embed", {4, 2}, -1}, {"norm", {2}, -1}};
  outline.tied = {{"head", "embed"}};
  const config::KeyLocations locations;
  Refusals refusals(locations);
  EXPECT_THAT(TrainableParameters({"head"}, outline, refusals), ElementsAre("embed"));
  EXPECT_TRUE(refusals.Empty());
  EXPECT_THAT(TrainableParameters({"n?rm", "bias"}, outline, refusals), ElementsAre("norm"));
  EXPECT_EQ(refusals.Text(),
            "training.trainable: pattern bias matches no parameter; names look like embed");
}

}  // namespace
}  // namespace hyperpp::plan

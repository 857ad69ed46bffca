#include "hyperpp/pipeline/planner/stage_split.h"

#include <algorithm>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hyperpp/core/error.h"

namespace hyperpp::pipeline {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

std::string RefusalOf(const SplitRequest& request) {
  try {
    SplitStages(request);
  } catch (const PlanError& error) {
    return error.what();
  }
  return "";
}

SplitRequest Plain(int64_t num_ranks, int64_t num_layers, std::vector<int64_t> split = {}) {
  SplitRequest request{.num_ranks = num_ranks, .num_layers = num_layers};
  if (!split.empty()) request.split = {std::move(split)};
  return request;
}

SplitRequest Interleaved(int64_t num_ranks, int64_t num_layers,
                         std::vector<std::vector<int64_t>> split) {
  return {.schedule = "interleaved1f1b",
          .interleaved = true,
          .num_ranks = num_ranks,
          .num_layers = num_layers,
          .split = std::move(split),
          .split_is_2d = true};
}

TEST(StageSplitTest, ExtraLayersStandInTheMiddle) {
  EXPECT_THAT(BalanceLayers(10, 4), ElementsAre(2, 3, 3, 2));
  EXPECT_THAT(BalanceLayers(10, 3), ElementsAre(3, 4, 3));
  EXPECT_THAT(BalanceLayers(11, 4), ElementsAre(3, 3, 3, 2));
  EXPECT_THAT(BalanceLayers(9, 4), ElementsAre(2, 3, 2, 2));
  EXPECT_THAT(BalanceLayers(4, 4), ElementsAre(1, 1, 1, 1));
}

TEST(StageSplitTest, AutomaticSplitsAssignEveryLayerOnceAndDifferByOneAtMost) {
  for (int64_t ranks = 1; ranks <= 9; ++ranks) {
    for (int64_t layers = ranks; layers <= 40; ++layers) {
      const auto counts = BalanceLayers(layers, ranks);
      ASSERT_THAT(counts, SizeIs(ranks));
      EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), int64_t{0}), layers);
      const auto [low, high] = std::minmax_element(counts.begin(), counts.end());
      EXPECT_LE(*high - *low, 1);
    }
  }
}

TEST(StageSplitTest, CostsOfEmbeddingAndHeadMakeTheirStagesShorter) {
  const std::vector<double> layers(10, 1.0);
  EXPECT_THAT(BalanceCosts(layers, 0, 2, 4), ElementsAre(3, 3, 3, 1));
  EXPECT_THAT(BalanceCosts(layers, 1, 1, 4), ElementsAre(2, 3, 3, 2));
  EXPECT_THAT(BalanceCosts(layers, 0, 100, 4), ElementsAre(3, 3, 3, 1));
  EXPECT_THAT(BalanceCosts({5, 1, 1, 1, 1, 1}, 0, 0, 2), ElementsAre(1, 5));
}

TEST(StageSplitTest, CostSplitIsTheBestOfAll) {
  const std::vector<double> layers = {3, 1, 4, 1, 5, 9, 2, 6};
  const auto largest = [&](int64_t a, int64_t b) {
    double sums[3] = {2, 0, 7};
    for (int64_t i = 0; i < 8; ++i) sums[i < a ? 0 : i < b ? 1 : 2] += layers[i];
    return *std::max_element(sums, sums + 3);
  };
  double best = 1e9;
  for (int64_t a = 1; a < 7; ++a) {
    for (int64_t b = a + 1; b < 8; ++b) best = std::min(best, largest(a, b));
  }
  const auto counts = BalanceCosts(layers, 2, 7, 3);
  EXPECT_EQ(largest(counts[0], counts[0] + counts[1]), best);
}

TEST(StageSplitTest, StagesRunThroughTheRanksOncePerChunk) {
  EXPECT_THAT(SplitStages(Interleaved(2, 10, {{2, 3}, {3, 2}})),
              ElementsAre(StageLayers{0, 0, 0, 0, 2}, StageLayers{1, 1, 0, 2, 3},
                          StageLayers{2, 0, 1, 5, 3}, StageLayers{3, 1, 1, 8, 2}));
  EXPECT_THAT(SplitStages(Plain(1, 4)), ElementsAre(StageLayers{0, 0, 0, 0, 4}));
  EXPECT_THAT(SplitStages(Plain(2, 4, {1, 3})),
              ElementsAre(StageLayers{0, 0, 0, 0, 1}, StageLayers{1, 1, 0, 1, 3}));
}

TEST(StageSplitTest, SplitsThatDoNotFitAreRefusedWithTheNumbers) {
  EXPECT_EQ(RefusalOf(Plain(2, 4, {2, 3})),
            "pipeline.split: the entries add up to 5, but the model has 4 decoder layers; give 4 "
            "in all");
  EXPECT_EQ(
      RefusalOf(Plain(2, 4, {1, 1, 2})),
      "pipeline.split: [1, 1, 2] has 3 entries, but pp_size is 2; give one per pipeline rank");
  EXPECT_THAT(RefusalOf(Plain(2, 4, {4, 0})), HasSubstr("[4, 0] has an entry below 1"));
  EXPECT_THAT(RefusalOf(Plain(2, 4, {5, -1})), HasSubstr("[5, -1] has an entry below 1"));
  EXPECT_EQ(
      RefusalOf(Plain(5, 4)),
      "accelerator.pp_size: 5 pipeline ranks for 4 decoder layers; every stage needs a layer, "
      "use at most 4");
  EXPECT_THAT(RefusalOf(Interleaved(2, 4, {{1, 1}, {2}})), HasSubstr("[2] has 1 entries"));
}

TEST(StageSplitTest, FormOfTheSplitMustFitTheSchedule) {
  EXPECT_THAT(RefusalOf(Interleaved(2, 4, {{2, 2}})), HasSubstr("has 1 row(s) of chunks"));
  SplitRequest request = Interleaved(2, 4, {});
  request.split_is_2d = false;
  EXPECT_THAT(RefusalOf(request),
              HasSubstr("has 0 row(s) of chunks, but schedule interleaved1f1b"));
  request.split = {{2, 2}};
  EXPECT_THAT(RefusalOf(request), HasSubstr("needs at least two"));
  request = Interleaved(2, 4, {{1, 1}, {1, 1}});
  request.interleaved = false;
  request.schedule = "gpipe";
  EXPECT_THAT(RefusalOf(request), HasSubstr("but schedule gpipe runs one chunk per rank"));
}

}  // namespace
}  // namespace hyperpp::pipeline

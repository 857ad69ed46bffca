#include "hyperpp/data/batch_stream.h"

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hyperpp/core/error.h"
#include "tests/data/data_files.h"
#include "tests/support/error_text.h"

namespace hyperpp::data {
namespace {

using test::ErrorText;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Sample i has the one token first + i.
class Numbered : public Source {
 public:
  Numbered(int64_t size, int32_t first = 0) : size_(size), first_(first) {}
  int64_t NumSamples() const override { return size_; }
  Sample Read(int64_t index) const override {
    return {{first_ + static_cast<int32_t>(index)}, {kNoLabel}, {0}};
  }
  std::string Name() const override { return "numbers"; }

 private:
  int64_t size_;
  int32_t first_;
};

std::vector<WeightedSource> One(int64_t size) {
  std::vector<WeightedSource> sources;
  sources.push_back({std::make_unique<Numbered>(size), 1});
  return sources;
}

std::vector<WeightedSource> Two(int64_t first_size, double first_weight, int64_t second_size,
                                double second_weight) {
  std::vector<WeightedSource> sources;
  sources.push_back({std::make_unique<Numbered>(first_size), first_weight});
  sources.push_back({std::make_unique<Numbered>(second_size, 1000), second_weight});
  return sources;
}

std::vector<int32_t> Batch(BatchStream& stream, int64_t step, int64_t size) {
  std::vector<int32_t> batch;
  for (int64_t i = 0; i < size; ++i) batch.push_back(stream.Read(step, i).tokens[0]);
  return batch;
}

TEST(SourceBatchesTest, WithoutShuffleStepsTakeSamplesInOrderAndDropTheTail) {
  SourceBatches batches(One(11), {4, 0, false});
  EXPECT_THAT(Batch(batches, 1, 4), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(Batch(batches, 2, 4), ElementsAre(4, 5, 6, 7));
  EXPECT_THAT(Batch(batches, 3, 4), ElementsAre(0, 1, 2, 3));
}

TEST(SourceBatchesTest, ShuffledEpochUsesNoSampleTwiceAndAnotherTailEachTime) {
  SourceBatches batches(One(11), {4, 7, true});
  std::set<int32_t> ever;
  for (int64_t epoch = 0; epoch < 12; ++epoch) {
    std::set<int32_t> seen;
    for (int64_t step = 1; step <= 2; ++step)
      for (const int32_t token : Batch(batches, 2 * epoch + step, 4)) seen.insert(token);
    EXPECT_EQ(seen.size(), 8u) << epoch;
    ever.merge(seen);
  }
  EXPECT_EQ(ever.size(), 11u);
}

TEST(SourceBatchesTest, ShuffleDependsOnSeedAndEpochOnly) {
  const auto first_epoch = [](int64_t seed, int64_t batch, int64_t first_step) {
    SourceBatches batches(One(64), {batch, seed, true});
    std::vector<int32_t> order;
    for (int64_t step = first_step; step < first_step + 64 / batch; ++step)
      for (const int32_t token : Batch(batches, step, batch)) order.push_back(token);
    return order;
  };
  EXPECT_EQ(first_epoch(1, 8, 1), first_epoch(1, 8, 1));
  EXPECT_EQ(first_epoch(1, 8, 1), first_epoch(1, 16, 1));
  EXPECT_NE(first_epoch(1, 8, 1), first_epoch(2, 8, 1));
  EXPECT_NE(first_epoch(1, 8, 1), first_epoch(1, 8, 9));
}

TEST(SourceBatchesTest, AnyStepCanBeAskedForFirst) {
  SourceBatches straight(Two(5, 0.7, 9, 0.3), {4, 3, true});
  std::vector<std::vector<int32_t>> expected;
  for (int64_t step = 1; step <= 20; ++step) expected.push_back(Batch(straight, step, 4));
  for (const int64_t step : {20, 1, 13}) {
    SourceBatches resumed(Two(5, 0.7, 9, 0.3), {4, 3, true});
    EXPECT_EQ(Batch(resumed, step, 4), expected[static_cast<size_t>(step - 1)]);
  }
  EXPECT_EQ(Batch(straight, 13, 4), expected[12]);
}

TEST(SourceBatchesTest, SamplesOfABatchMayBeReadInAnyOrder) {
  SourceBatches batches(Two(5, 1, 9, 1), {4, 3, true});
  const std::vector<int32_t> expected = Batch(batches, 2, 4);
  for (const int64_t index : {3, 0, 2, 1}) {
    EXPECT_EQ(batches.Read(2, index).tokens[0], expected[static_cast<size_t>(index)]);
    batches.Position(7);
  }
}

TEST(SourceBatchesTest, EachSourceOfAMixtureHasItsOwnEpochs) {
  SourceBatches batches(Two(3, 1, 6, 1), {4, 0, false});
  std::map<int32_t, int> times;
  for (int64_t step = 1; step <= 3; ++step)
    for (const int32_t token : Batch(batches, step, 4)) ++times[token];
  for (int32_t i = 0; i < 3; ++i) EXPECT_EQ(times[i], 2);
  for (int32_t i = 0; i < 6; ++i) EXPECT_EQ(times[1000 + i], 1);
}

TEST(SourceBatchesTest, PositionSaysWhereAStepBegins) {
  SourceBatches batches(One(11), {4, 0, false});
  const nlohmann::json position = batches.Position(4);
  EXPECT_EQ(position["text"], "epoch 2 of numbers, sample 4 of 8");
  EXPECT_EQ(position["step"], 4);
  EXPECT_EQ(position["sources"][0]["epoch"], 2);
  EXPECT_EQ(position["sources"][0]["drawn"], 12);
}

TEST(SourceBatchesTest, FewerSamplesThanABatchAreRefusedWithBothNumbers) {
  EXPECT_THAT(ErrorText<InputError>([] {
                SourceBatches(One(3), {4, 0, false});
              }),
              AllOf(HasSubstr("numbers: holds 3 samples"), HasSubstr("global_batch_size = 4")));
  EXPECT_THAT(ErrorText<InputError>([] {
                SourceBatches(Two(3, 1, 0, 1), {4, 0, false});
              }),
              AllOf(HasSubstr("holds 0 samples"), HasSubstr("needs 1 samples")));
}

}  // namespace
}  // namespace hyperpp::data

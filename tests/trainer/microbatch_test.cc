#include "hyperpp/trainer/microbatch.h"

#include <ATen/ops/tensor.h>
#include <gtest/gtest.h>

#include "hyperpp/core/error.h"

namespace hyperpp::trainer {
namespace {

const data::Sample kLong{{5, 6, 7}, {6, data::kNoLabel, 8}, {0, 0, 2}};
const data::Sample kShort{{9}, {4}, {0}};

TEST(MicrobatchTest, ShortSamplesArePaddedWithoutLabels) {
  const Microbatch batch = MakeMicrobatch({kLong, kShort}, 10, 4, at::kCPU);
  EXPECT_TRUE(batch.ids_T.equal(at::tensor({5, 6, 7, 0, 9, 0, 0, 0}, at::kLong)));
  EXPECT_TRUE(batch.labels_T.equal(at::tensor({6, -100, 8, -100, 4, -100, -100, -100}, at::kLong)));
  EXPECT_TRUE(batch.sample_ids_B.equal(at::tensor({10, 11}, at::kLong)));
  EXPECT_EQ(batch.num_tokens, 4);
  EXPECT_EQ(batch.num_labels, 3);
}

TEST(MicrobatchTest, PositionsRestartWithEachDocument) {
  const Microbatch batch = MakeMicrobatch({kLong}, 0, 4, at::kCPU);
  EXPECT_TRUE(batch.positions_T.equal(at::tensor({0, 1, 0, 0}, at::kInt)));
  EXPECT_TRUE(batch.document_starts_BS.equal(at::tensor({0, 0, 2, 3}, at::kInt).unsqueeze(0)));
}

TEST(MicrobatchTest, LengthIsPaddedToEqualSharesOfTheTensorParallelRanks) {
  const MeshLayout alone, four({2, 2, 1, 1, 4});
  EXPECT_EQ(PaddedLength(13, alone), 13);
  EXPECT_EQ(PaddedLength(13, four), 16);
  EXPECT_EQ(PaddedLength(16, four), 16);
  EXPECT_EQ(PaddedLength(0, four), 0);
}

TEST(MicrobatchTest, SampleLongerThanThePaddingIsADefect) {
  EXPECT_THROW(MakeMicrobatch({kLong}, 0, 2, at::kCPU), InternalError);
}

}  // namespace
}  // namespace hyperpp::trainer

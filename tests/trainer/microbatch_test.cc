#include "hyperpp/trainer/microbatch.h"

#include <ATen/ops/tensor.h>
#include <gtest/gtest.h>

#include "hyperpp/core/error.h"

namespace hyperpp::trainer {
namespace {

const data::Sample kLong{{5, 6, 7}, {6, data::kNoLabel, 8}, {0, 0, 2}};
const data::Sample kShort{{9}, {4}, {0}};

TEST(MicrobatchTest, ShortSamplesArePaddedWithoutLabels) {
  const Microbatch batch = MakeMicrobatch({kLong, kShort}, 10, 4, {}, at::kCPU);
  EXPECT_TRUE(batch.ids_T.equal(at::tensor({5, 6, 7, 0, 9, 0, 0, 0}, at::kLong)));
  EXPECT_TRUE(batch.labels_T.equal(at::tensor({6, -100, 8, -100, 4, -100, -100, -100}, at::kLong)));
  EXPECT_TRUE(batch.sample_ids_B.equal(at::tensor({10, 11}, at::kLong)));
  EXPECT_EQ(batch.num_tokens, 4);
  EXPECT_EQ(batch.num_labels, 3);
}

TEST(MicrobatchTest, PositionsRestartWithEachDocument) {
  const Microbatch batch = MakeMicrobatch({kLong}, 0, 4, {}, at::kCPU);
  EXPECT_TRUE(batch.positions_T.equal(at::tensor({0, 1, 0, 0}, at::kInt)));
  EXPECT_TRUE(batch.document_starts_BL.equal(at::tensor({0, 0, 2, 3}, at::kInt).unsqueeze(0)));
}

TEST(MicrobatchTest, SampleLongerThanThePaddingIsADefect) {
  EXPECT_THROW(MakeMicrobatch({kLong}, 0, 2, {}, at::kCPU), InternalError);
}

TEST(MicrobatchTest, ContextRankKeepsItsTokensAndAllDocumentStarts) {
  const MeshLayout layout({1, 1, 1, 2, 1});
  const data::Sample sample{{5, 6, 7, 8, 9}, {6, 7, 8, 9, 1}, {0, 0, 0, 3, 3}};
  const Microbatch batch =
      MakeMicrobatch({sample, kShort}, 0, 5, TokenShareOf(layout, 0, true), at::kCPU);
  EXPECT_TRUE(batch.token_indices_S.equal(at::tensor({0, 1, 6, 7}, at::kInt)));
  EXPECT_TRUE(batch.ids_T.equal(at::tensor({5, 6, 0, 0, 9, 0, 0, 0}, at::kLong)));
  EXPECT_TRUE(batch.document_starts_BL[0].equal(at::tensor({0, 0, 0, 3, 3, 5, 6, 7}, at::kInt)));
  EXPECT_EQ(batch.sequence, 4);
  EXPECT_EQ(batch.num_labels, 6);
  const Microbatch other =
      MakeMicrobatch({sample, kShort}, 0, 5, TokenShareOf(layout, 1, true), at::kCPU);
  EXPECT_TRUE(other.positions_T.narrow(0, 0, 4).equal(at::tensor({2, 0, 1, 0}, at::kInt)));
  EXPECT_TRUE(other.labels_T.narrow(0, 0, 4).equal(at::tensor({8, 9, 1, -100}, at::kLong)));
}

TEST(MicrobatchTest, LengthsDivideForContextAndTensorParallelism) {
  const auto multiple = [](int context, int tensor, bool balanced) {
    return TokenShareOf(MeshLayout({1, 1, 1, context, tensor}), 0, balanced).length_multiple;
  };
  EXPECT_EQ(multiple(1, 1, true), 1);
  EXPECT_EQ(multiple(4, 1, true), 8);
  EXPECT_EQ(multiple(4, 1, false), 4);
  EXPECT_EQ(multiple(2, 2, true), 4);
  EXPECT_EQ(multiple(3, 4, true), 12);
  EXPECT_EQ(multiple(1, 4, true), 4);
}

}  // namespace
}  // namespace hyperpp::trainer

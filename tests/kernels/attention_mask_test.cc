#include "hyperpp/kernels/attention_mask.h"

#include <string>

#include <ATen/ATen.h>
#include <gmock/gmock.h>

namespace hyperpp::kernels {
namespace {

using testing::Each;
using testing::Eq;

// One line a query block, one letter a key block: n(one), p(artial), f(ull).
std::string Grid(const at::Tensor& begin, const at::Tensor& end, int64_t num_keys) {
  const AttentionMask mask(begin.unsqueeze(0), end.unsqueeze(0), num_keys);
  std::string grid;
  for (int64_t i = 0; i * kAttentionBlock < begin.size(0); ++i) {
    for (int64_t j = 0; j * kAttentionBlock < num_keys; ++j)
      grid += "npf"[static_cast<int>(mask.Cover(0, i, j))];
    grid += " ";
  }
  return grid;
}

at::Tensor Positions(int64_t size) { return at::arange(size, at::kInt); }

TEST(AttentionMaskTest, CausalBlocksAreFullBelowTheDiagonal) {
  const at::Tensor position = Positions(256);
  EXPECT_EQ(Grid(at::zeros_like(position), position + 1, 256), "pnnn fpnn ffpn fffp ");
}

TEST(AttentionMaskTest, AWindowLeavesOldKeysOut) {
  const at::Tensor position = Positions(256);
  EXPECT_EQ(Grid((position - 127).clamp_min(0), position + 1, 256), "pnnn fpnn pfpn npfp ");
}

TEST(AttentionMaskTest, BlocksBetweenIntervalsAreSkipped) {
  // Rows 0 to 9 see keys 0 to 9, the others keys 150 to 159.
  const at::Tensor begin = at::where(Positions(64).lt(10), 0, 150).to(at::kInt);
  EXPECT_EQ(Grid(begin, (begin + 10).to(at::kInt), 192), "pnp ");
}

TEST(AttentionMaskTest, TailBlocksAreNeverFull) {
  const at::Tensor position = Positions(70);
  EXPECT_EQ(Grid(at::zeros_like(position), at::full_like(position, 100), 100), "fp fp ");
}

TEST(AttentionMaskTest, IntervalsAreCutToTheKeysAndEmptyOnesSeeNothing) {
  const at::Tensor begin = at::tensor({-5, 3, 90}, at::kInt),
                   end = at::tensor({200, 3, 80}, at::kInt);
  const AttentionMask mask(begin.unsqueeze(0), end.unsqueeze(0), 100);
  EXPECT_FALSE(mask.IsEmpty(0, 0));
  EXPECT_TRUE(mask.IsEmpty(0, 1));
  EXPECT_TRUE(mask.IsEmpty(0, 2));
  int32_t first[kAttentionBlock], last[kAttentionBlock];
  mask.CountInBlock(0, 0, 1, first, last);
  EXPECT_EQ(first[0], -64);
  EXPECT_EQ(last[0], 36);
  for (int64_t row = 1; row < kAttentionBlock; ++row) EXPECT_LE(last[row], first[row]) << row;
}

}  // namespace
}  // namespace hyperpp::kernels

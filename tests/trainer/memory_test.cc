#include "hyperpp/trainer/memory.h"

#include <ATen/ops/ones.h>
#include <gtest/gtest.h>

namespace hyperpp::trainer {
namespace {

TEST(MemoryTest, PeakOfTheProcessGrowsWithWhatIsUsedAndStays) {
  const int64_t before = PeakMemoryBytes(at::kCPU);
  EXPECT_GT(before, 1 << 20);
  constexpr int64_t kBytes = 256 << 20;
  { const at::Tensor used = at::ones({kBytes / 4}); }
  EXPECT_GT(PeakMemoryBytes(at::kCPU), kBytes);
}

}  // namespace
}  // namespace hyperpp::trainer

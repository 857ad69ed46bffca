#include "hyperpp/kernels/checksum.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <gtest/gtest.h>

namespace hyperpp::kernels {
namespace {

int64_t HashOf(const at::Tensor& x) { return Checksum(x).item<int64_t>(); }

TEST(ChecksumTest, DependsOnEveryBitAndItsPlace) {
  at::Tensor x = at::randn({1000});
  const int64_t before = HashOf(x);
  EXPECT_EQ(HashOf(x.clone()), before);
  at::Tensor swapped = x.clone();
  swapped[3].copy_(x[700]);
  swapped[700].copy_(x[3]);
  EXPECT_NE(HashOf(swapped), before);
  x[999] = std::nextafter(x[999].item<float>(), 10.0f);
  EXPECT_NE(HashOf(x), before);
}

TEST(ChecksumTest, ZeroAndNegativeZeroDiffer) {
  EXPECT_NE(HashOf(at::zeros({4})), HashOf(-at::zeros({4})));
  EXPECT_NE(HashOf(at::zeros({4})), HashOf(at::zeros({5})));
}

TEST(ChecksumTest, IsTheSameAtAnyNumberOfThreads) {
  const at::Tensor x = at::randn({300001});
  at::set_num_threads(1);
  const int64_t one = HashOf(x);
  at::set_num_threads(3);
  EXPECT_EQ(HashOf(x), one);
}

TEST(ChecksumTest, FollowsItsDefinition) {
  const at::Tensor x = at::randn({10007});
  const at::Tensor bits = x.view(at::kInt).to(at::kLong).bitwise_and(0xffffffff);
  const at::Tensor places = at::arange(10007, at::kLong) * 2 + 1;
  const auto sum = static_cast<uint64_t>(((bits + 1) * places).sum().item<int64_t>());
  EXPECT_EQ(static_cast<uint64_t>(HashOf(x)), sum * 0x9e3779b97f4a7c15);
}

}  // namespace
}  // namespace hyperpp::kernels

#include "hyperpp/kernels/block_product.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>

#include "hyperpp/kernels/cpu_features.h"

namespace hyperpp::kernels {
namespace {

void ExpectProduct(bool bfloat16) {
  const at::ScalarType dtype = bfloat16 ? at::kBFloat16 : at::kFloat;
  at::manual_seed(1);
  const at::Tensor a = at::randn({16, 40}).to(dtype), b = at::randn({32, 64}).to(dtype);
  const at::Tensor right = bfloat16 ? b.view({16, 2, 64}).transpose(1, 2).contiguous() : b;
  at::Tensor c = at::ones({16, 70});
  const BlockProduct multiply(bfloat16);
  const BlockProductShape shape{16, 48, 32, 40, 64, 70};
  const at::Tensor expected =
      at::matmul(a.narrow(1, 0, 32).to(at::kDouble), b.narrow(1, 0, 48).to(at::kDouble));
  const auto result = [&] { return c.narrow(1, 0, 48).to(at::kDouble); };
  multiply(shape, a.const_data_ptr(), right.const_data_ptr(), c.mutable_data_ptr<float>(), true);
  EXPECT_TRUE(at::allclose(result(), expected + 1, 1e-5, 1e-5));
  multiply(shape, a.const_data_ptr(), right.const_data_ptr(), c.mutable_data_ptr<float>(), false);
  EXPECT_TRUE(at::allclose(result(), expected, 1e-5, 1e-5));
  EXPECT_TRUE(c.narrow(1, 48, 22).eq(1).all().item<bool>());
}

TEST(BlockProductTest, Fp32IsAvailableEverywhere) { ExpectProduct(false); }

TEST(BlockProductTest, Bf16WhereTheCpuHasIt) {
  if (!HasBfloat16BlockProduct()) GTEST_SKIP() << "this CPU multiplies no bf16 blocks";
  EXPECT_TRUE(Cpu().avx512);
  ExpectProduct(true);
}

}  // namespace
}  // namespace hyperpp::kernels

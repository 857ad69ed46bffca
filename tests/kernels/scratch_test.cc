#include "hyperpp/kernels/scratch.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

namespace hyperpp::kernels {
namespace {

TEST(ScratchTest, LargeAndSmallBuffersAreOrdinaryTensors) {
  for (int64_t rows : {0, 3, 3000}) {
    for (at::ScalarType dtype : {at::kFloat, at::kBFloat16}) {
      at::Tensor scratch = EmptyScratch({rows, 1001}, at::TensorOptions().dtype(dtype));
      EXPECT_EQ(scratch.sizes(), at::IntArrayRef({rows, 1001}));
      EXPECT_EQ(scratch.scalar_type(), dtype);
      EXPECT_TRUE(scratch.is_contiguous());
      scratch.fill_(2);
      EXPECT_EQ(scratch.to(at::kDouble).sum().item<double>(),
                2. * 1001 * static_cast<double>(rows));
    }
  }
}

}  // namespace
}  // namespace hyperpp::kernels

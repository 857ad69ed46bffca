#include "hyperpp/parallel/fsdp/buffer_pool.h"

#include <gtest/gtest.h>

namespace hyperpp::parallel {
namespace {

TEST(BufferPoolTest, ABufferComesBackOnlyWhenNobodyHoldsItsMemory) {
  BufferPool pool(at::kCPU);
  at::Tensor first = pool.Take(100, at::kFloat);
  const void* memory = first.const_data_ptr();
  at::Tensor view = first.narrow(0, 10, 5);
  first.reset();
  EXPECT_NE(pool.Take(100, at::kFloat).const_data_ptr(), memory);  // the view still reads it
  view.reset();
  EXPECT_EQ(pool.Take(100, at::kFloat).const_data_ptr(), memory);
}

TEST(BufferPoolTest, SizesAndDtypesHaveTheirOwnBuffers) {
  BufferPool pool(at::kCPU);
  pool.Take(100, at::kFloat);
  pool.Take(100, at::kBFloat16);
  pool.Take(50, at::kFloat);
  pool.Take(100, at::kFloat);
  EXPECT_EQ(pool.NumBytes(), 100 * 4 + 100 * 2 + 50 * 4);
}

}  // namespace
}  // namespace hyperpp::parallel

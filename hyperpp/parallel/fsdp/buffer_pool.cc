#include "hyperpp/parallel/fsdp/buffer_pool.h"

#include <algorithm>

#include <ATen/ops/empty.h>

namespace hyperpp::parallel {

at::Tensor BufferPool::Take(int64_t numel, at::ScalarType dtype) {
  for (const at::Tensor& buffer : buffers_) {
    if (buffer.numel() == numel && buffer.scalar_type() == dtype &&
        buffer.storage().use_count() == 1 && buffer.use_count() == 1)
      return buffer;
  }
  buffers_.push_back(at::empty({numel}, at::TensorOptions().device(device_).dtype(dtype)));
  return buffers_.back();
}

int64_t BufferPool::NumBytes() const {
  int64_t bytes = 0;
  for (const at::Tensor& buffer : buffers_) bytes += static_cast<int64_t>(buffer.nbytes());
  return bytes;
}

}  // namespace hyperpp::parallel

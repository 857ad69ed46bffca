// Buffers for gathered weights and whole gradients, reused from one use to the next: fresh memory
// of this size costs more in page faults than the gather itself.
//
// A buffer is free again when nobody but the pool holds its memory, so there is nothing to give
// back.
#pragma once

#include <cstdint>
#include <vector>

#include <ATen/core/Tensor.h>

namespace hyperpp::parallel {

class BufferPool {
 public:
  explicit BufferPool(at::Device device) : device_(device) {}

  /// An uninitialised flat tensor that nobody else holds.
  at::Tensor Take(int64_t numel, at::ScalarType dtype);
  /// Bytes of all buffers, free ones included.
  int64_t NumBytes() const;

 private:
  at::Device device_;
  std::vector<at::Tensor> buffers_;
};

}  // namespace hyperpp::parallel

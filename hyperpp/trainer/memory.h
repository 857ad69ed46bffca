// How much memory this process has used where it computes.
#pragma once

#include <cstdint>

#include <c10/core/Device.h>

namespace hyperpp::trainer {

/// Largest use so far, in bytes: of a CPU, this process's resident set; of a GPU, what libtorch's
/// allocator had given out on it (NCCL's and cuBLAS's own buffers are not counted).
int64_t PeakMemoryBytes(at::Device device);

}  // namespace hyperpp::trainer

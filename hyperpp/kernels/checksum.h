// A hash of a tensor's bits, to find out where two runs part.
//
//     hash = sum over i of (bits[i] + 1) * (2 i + 1) * constant    modulo 2^64
//
// Each term depends on the value and its place, and sums modulo 2^64 do not depend on their order,
// so any number of threads, and any device, gives the same.
#pragma once

#include <ATen/core/Tensor.h>

namespace hyperpp::kernels {

/// Returns the hash of `x` (fp32, contiguous) as int64 with no dimension, on the device of `x`;
/// nothing waits for a GPU.
at::Tensor Checksum(const at::Tensor& x);

}  // namespace hyperpp::kernels

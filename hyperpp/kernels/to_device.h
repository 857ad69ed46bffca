// Host tensors on their way to the device that computes.
#pragma once

#include <ATen/core/Tensor.h>

namespace hyperpp::kernels {

/// Returns `host` on `device`; on a CPU that is `host` itself. A GPU copies from pinned memory in
/// the order of the current stream, so the host does not wait for the work queued before.
at::Tensor ToDevice(const at::Tensor& host, at::Device device);

}  // namespace hyperpp::kernels

// Large buffers that live for one call.
//
// The first touch of fresh memory costs a page fault per 4 KiB: 48 ms for 93 MiB in a virtual
// machine (Zen 4), as much as writing them ten times. On huge pages, asked for with madvise, it is
// 11 ms.
#pragma once

#include <ATen/core/Tensor.h>

namespace hyperpp::kernels {

/// Returns an uninitialised tensor like at::empty; large ones on a CPU lie on huge pages where the
/// system grants them.
at::Tensor EmptyScratch(at::IntArrayRef sizes, const at::TensorOptions& options);

}  // namespace hyperpp::kernels

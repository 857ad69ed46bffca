// Sums a vector over many rows in parallel, in an order that the number of threads does not change.
//
// The rows are cut into blocks whose size depends on the number of rows only. Each block sums into
// a buffer of its own; then the buffers are added one after the other.
#pragma once

#include <cstdint>

#include <ATen/core/Tensor.h>
#include <c10/util/FunctionRef.h>

namespace hyperpp::kernels {

/// Calls `block(first, last, partial)` for consecutive blocks that cover [0, num_rows), in
/// parallel. `partial` points to zeros, as many as `accumulator` (fp32, contiguous) has elements;
/// what the block adds there is added to `accumulator`. It is null if `accumulator` is undefined.
void ForEachRowBlock(int64_t num_rows, at::Tensor accumulator,
                     c10::function_ref<void(int64_t, int64_t, float*)> block);

}  // namespace hyperpp::kernels

// Splits a range over the threads of libtorch's OpenMP runtime.
//
// Calls the runtime's entry point directly, so that GCC and clang build the same code without
// -fopenmp and no second OpenMP runtime enters the process. The split depends only on the range,
// the grain and the number of threads, so results repeat bit by bit at a fixed number of threads.
#pragma once

#include <cstdint>

#include <c10/util/FunctionRef.h>

namespace hyperpp::kernels {

/// Calls `body(first, last)` for consecutive pieces that cover [begin, end), at most one piece per
/// thread, pieces not smaller than `grain` except the last. Nested calls run serially.
/// Errors: the first exception of a piece is rethrown here.
void ParallelFor(int64_t begin, int64_t end, int64_t grain,
                 c10::function_ref<void(int64_t, int64_t)> body);

}  // namespace hyperpp::kernels

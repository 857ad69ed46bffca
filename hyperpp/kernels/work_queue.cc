#include "hyperpp/kernels/work_queue.h"

#include <algorithm>

#include <ATen/Parallel.h>

#include "hyperpp/kernels/parallel_for.h"

namespace hyperpp::kernels {

void RunWorkers(int64_t num_units, c10::function_ref<void(WorkQueue&)> worker) {
  WorkQueue queue(num_units);
  const int64_t num_workers = std::min<int64_t>(num_units, at::get_num_threads());
  ParallelFor(0, num_workers, 1, [&](int64_t, int64_t) { worker(queue); });
}

}  // namespace hyperpp::kernels

// Hands units of unequal size to threads, each to the next free one. Which thread takes a unit
// must not change its result.
#pragma once

#include <atomic>
#include <cstdint>

#include <c10/util/FunctionRef.h>

namespace hyperpp::kernels {

class WorkQueue {
 public:
  explicit WorkQueue(int64_t num_units) : num_units_(num_units) {}

  /// Returns the next unit, or -1 if none is left.
  int64_t Take() {
    const int64_t unit = next_.fetch_add(1, std::memory_order_relaxed);
    return unit < num_units_ ? unit : -1;
  }

 private:
  std::atomic<int64_t> next_{0};
  int64_t num_units_;
};

/// Calls `worker` once on each thread (no more threads than units); each takes units until none is
/// left.
void RunWorkers(int64_t num_units, c10::function_ref<void(WorkQueue&)> worker);

}  // namespace hyperpp::kernels

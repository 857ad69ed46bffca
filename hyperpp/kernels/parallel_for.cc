#include "hyperpp/kernels/parallel_for.h"

#include <algorithm>
#include <atomic>
#include <exception>

#include <ATen/Parallel.h>

#include "hyperpp/core/round_up.h"

// Entry points of the GNU OpenMP runtime, which libtorch links: what `#pragma omp parallel` calls.
extern "C" {
void GOMP_parallel(void (*function)(void*), void* data, unsigned num_threads, unsigned flags);
int omp_get_thread_num(void);
int omp_in_parallel(void);
}

namespace hyperpp::kernels {
namespace {

struct Region {
  c10::function_ref<void(int64_t, int64_t)> body;
  int64_t begin, end, piece;
  std::atomic_flag failed = ATOMIC_FLAG_INIT;
  std::exception_ptr error;

  void Run(int64_t index) {
    const int64_t first = begin + index * piece;
    if (first >= end) return;
    try {
      body(first, std::min(end, first + piece));
    } catch (...) {
      if (!failed.test_and_set()) error = std::current_exception();
    }
  }
};

}  // namespace

void ParallelFor(int64_t begin, int64_t end, int64_t grain,
                 c10::function_ref<void(int64_t, int64_t)> body) {
  if (begin >= end) return;
  const int64_t size = end - begin;
  const int64_t wanted =
      std::min<int64_t>(at::get_num_threads(), CeilDivide(size, std::max<int64_t>(grain, 1)));
  if (wanted <= 1 || omp_in_parallel()) return body(begin, end);
  Region region{body, begin, end, CeilDivide(size, wanted), ATOMIC_FLAG_INIT, nullptr};
  GOMP_parallel([](void* data) { static_cast<Region*>(data)->Run(omp_get_thread_num()); }, &region,
                static_cast<unsigned>(wanted), 0);
  if (region.error) std::rethrow_exception(region.error);
}

}  // namespace hyperpp::kernels

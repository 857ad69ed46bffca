#include "hyperpp/kernels/work_queue.h"

#include <stdexcept>
#include <vector>

#include <ATen/Parallel.h>
#include <gmock/gmock.h>

#include "hyperpp/kernels/parallel_for.h"

namespace hyperpp::kernels {
namespace {

std::vector<std::atomic<int>> Taken(int64_t num_units) {
  std::vector<std::atomic<int>> taken(num_units);
  RunWorkers(num_units, [&](WorkQueue& queue) {
    for (int64_t unit = queue.Take(); unit >= 0; unit = queue.Take()) ++taken[unit];
  });
  return taken;
}

TEST(WorkQueueTest, EveryUnitIsTakenOnceAtAnyNumberOfThreads) {
  for (int threads : {1, 2, 3}) {
    at::set_num_threads(threads);
    for (int64_t num_units : {0, 1, 2, 100})
      for (const auto& count : Taken(num_units)) EXPECT_EQ(count, 1);
  }
}

TEST(WorkQueueTest, UnitsInsideAParallelPieceAreTakenToo) {
  at::set_num_threads(2);
  ParallelFor(0, 2, 1, [](int64_t first, int64_t last) {
    for (int64_t i = first; i < last; ++i)
      for (const auto& count : Taken(10)) EXPECT_EQ(count, 1);
  });
}

TEST(WorkQueueTest, AWorkersExceptionReachesTheCaller) {
  at::set_num_threads(2);
  EXPECT_THROW(RunWorkers(8, [](WorkQueue&) { throw std::runtime_error("worker"); }),
               std::runtime_error);
}

}  // namespace
}  // namespace hyperpp::kernels

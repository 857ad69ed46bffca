#include "hyperpp/kernels/parallel_for.h"

#include <atomic>
#include <stdexcept>
#include <vector>

#include <ATen/Parallel.h>
#include <gtest/gtest.h>

namespace hyperpp::kernels {
namespace {

TEST(ParallelForTest, CoversEveryIndexOnceAtAnyNumberOfThreads) {
  for (int threads : {1, 2, 3}) {
    at::set_num_threads(threads);
    for (int64_t size : {0, 1, 2, 5, 64, 1001}) {
      for (int64_t grain : {1, 4, 5000}) {
        std::vector<std::atomic<int>> seen(size);
        ParallelFor(0, size, grain, [&](int64_t first, int64_t last) {
          for (int64_t i = first; i < last; ++i) ++seen[i];
        });
        for (const auto& count : seen) EXPECT_EQ(count, 1);
      }
    }
  }
}

TEST(ParallelForTest, RethrowsWhatAPieceThrows) {
  at::set_num_threads(2);
  EXPECT_THROW(ParallelFor(0, 100, 1, [](int64_t, int64_t) { throw std::runtime_error("piece"); }),
               std::runtime_error);
}

TEST(ParallelForTest, RunsNestedCallsInsideTheirPiece) {
  at::set_num_threads(2);
  std::atomic<int> total{0};
  ParallelFor(0, 2, 1, [&](int64_t first, int64_t last) {
    for (int64_t i = first; i < last; ++i)
      ParallelFor(0, 10, 1, [&](int64_t a, int64_t b) { total += static_cast<int>(b - a); });
  });
  EXPECT_EQ(total, 20);
}

}  // namespace
}  // namespace hyperpp::kernels

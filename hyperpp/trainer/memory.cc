#include "hyperpp/trainer/memory.h"

#include <sys/resource.h>

namespace hyperpp::trainer {

int64_t PeakMemoryBytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<int64_t>(usage.ru_maxrss) * 1024;  // Linux counts in KiB
}

}  // namespace hyperpp::trainer

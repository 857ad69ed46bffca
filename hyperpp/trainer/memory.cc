#include "hyperpp/trainer/memory.h"

#include <sys/resource.h>

#include <c10/core/CachingDeviceAllocator.h>

namespace hyperpp::trainer {

int64_t PeakMemoryBytes(at::Device device) {
  if (!device.is_cpu()) {
    constexpr auto kAllPools = static_cast<std::size_t>(c10::CachingAllocator::StatType::AGGREGATE);
    return c10::getDeviceAllocator(device.type())
        ->getDeviceStats(device.index())
        .allocated_bytes[kAllPools]
        .peak;
  }
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<int64_t>(usage.ru_maxrss) * 1024;  // Linux counts in KiB
}

}  // namespace hyperpp::trainer

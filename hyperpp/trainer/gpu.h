// What the GPUs of this machine are, as far as a run needs to know.
#pragma once

#include <cstdint>
#include <string>

namespace hyperpp::trainer {

struct GpuFacts {
  std::string name;          // as the driver reports it
  int capability_major = 0;  // of the compute capability
  int64_t memory_bytes = 0;
};

/// Number of GPUs that libtorch can use; 0 in a CPU build.
int NumVisibleGpus();

/// REQUIRES: 0 <= index < NumVisibleGpus().
GpuFacts DescribeGpu(int index);

/// Whether products of bf16 are faster than fp32 there: from compute capability 8 on.
bool ComputesBfloat16Fast(const GpuFacts& gpu);

}  // namespace hyperpp::trainer

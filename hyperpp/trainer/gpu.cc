#include "hyperpp/trainer/gpu.h"

#include <ATen/Context.h>
#ifdef HYPERPP_CUDA
#include <ATen/cuda/CUDAContext.h>
#endif

#include "hyperpp/core/error.h"

namespace hyperpp::trainer {

int NumVisibleGpus() {
  return at::globalContext().hasCUDA() ? static_cast<int>(at::detail::getCUDAHooks().deviceCount())
                                       : 0;
}

bool ComputesBfloat16Fast(const GpuFacts& gpu) { return gpu.capability_major >= 8; }

#ifdef HYPERPP_CUDA

GpuFacts DescribeGpu(int index) {
  const cudaDeviceProp& properties =
      *at::cuda::getDeviceProperties(static_cast<c10::DeviceIndex>(index));
  return {properties.name, properties.major, static_cast<int64_t>(properties.totalGlobalMem)};
}

#else

GpuFacts DescribeGpu(int index) {
  throw InternalError(fmt::format("facts of GPU {} asked for in a build without CUDA", index));
}

#endif

}  // namespace hyperpp::trainer

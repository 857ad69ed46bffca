#include "hyperpp/trainer/device.h"

#include <algorithm>
#include <cstdlib>

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <malloc.h>
#include <sched.h>

#include "hyperpp/core/error.h"
#include "hyperpp/kernels/cpu_features.h"
#include "hyperpp/trainer/device_peak.h"

namespace hyperpp::trainer {
namespace {

// Cores this process may run on: fewer than the machine has inside a container or under taskset.
int NumUsableCores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof(set), &set) != 0) return 1;
  return std::max(1, CPU_COUNT(&set));
}

bool IsBfloat16Fast(const at::Device& device) {
  return device.is_cuda() ? ComputesBfloat16Fast(DescribeGpu(device.index()))
                          : kernels::HasFastBfloat16();
}

// cuBLAS gives the same bits twice only with a workspace of fixed size, which it takes from the
// environment when its first handle is made; libtorch refuses to go on without.
void MakeCublasDeterministic() { setenv("CUBLAS_WORKSPACE_CONFIG", ":4096:8", /*replace=*/0); }

}  // namespace

at::Device DeviceOfRank(const config::AcceleratorSection& accelerator, int local_rank,
                        int local_world_size, int num_gpus) {
  if (accelerator.device == config::DeviceType::kCpu) return at::kCPU;
  if (num_gpus == 0) {
    if (accelerator.device == config::DeviceType::kAuto) return at::kCPU;
    throw ConfigError(
        "accelerator.device: cuda, but libtorch sees no GPU here (a CPU build of libtorch never "
        "does); use device: cpu or install a CUDA build");
  }
  if (local_world_size > num_gpus && accelerator.backend != config::Backend::kGloo)
    throw ConfigError(fmt::format(
        "accelerator: {} ranks on this machine, but libtorch sees {} GPUs, and NCCL needs one for "
        "each rank; start at most {} ranks here, or use device: cpu",
        local_world_size, num_gpus, num_gpus));
  return at::Device(at::kCUDA, static_cast<at::DeviceIndex>(local_rank % num_gpus));
}

RunDevice ChooseDevice(const config::Config& config, int local_rank, int local_world_size) {
  RunDevice run;
  const bool may_use_gpu = config.accelerator.device != config::DeviceType::kCpu;
  run.device = DeviceOfRank(config.accelerator, local_rank, local_world_size,
                            may_use_gpu ? NumVisibleGpus() : 0);

  const auto dtype = config.precision.compute_dtype;
  const bool bf16 = dtype == config::ComputeDType::kBFloat16 ||
                    (dtype == config::ComputeDType::kAuto && IsBfloat16Fast(run.device));
  run.compute_dtype = bf16 ? at::kBFloat16 : at::kFloat;

  const int share = std::max(1, NumUsableCores() / std::max(1, local_world_size));
  run.threads = static_cast<int>(config.accelerator.threads_per_rank.value_or(share));
  std::string device = run.device.str();
  if (run.device.is_cuda()) {
    const GpuFacts gpu = DescribeGpu(run.device.index());
    device += fmt::format(" ({})", gpu.name);
    if (bf16) run.peak_flops = PeakBfloat16Flops(gpu.name);
  }
  run.description = fmt::format("{}, {} thread{}, {} compute", device, run.threads,
                                run.threads == 1 ? "" : "s", bf16 ? "bfloat16" : "float32");
  return run;
}

void PrepareProcess(const RunDevice& device, bool deterministic) {
  // Large buffers are reused instead of being returned to the system and faulted in again.
  mallopt(M_MMAP_THRESHOLD, 1 << 30);
  mallopt(M_TRIM_THRESHOLD, 2000000000);
  at::set_num_threads(device.threads);
  if (device.device.is_cuda()) {
    if (deterministic) MakeCublasDeterministic();
    at::globalContext().setAllowBF16ReductionCuBLAS(false);
    c10::impl::VirtualGuardImpl(device.device.type()).setDevice(device.device);
  }
  if (deterministic) {
    at::globalContext().setDeterministicAlgorithms(true, /*warn_only=*/false);
    at::globalContext().setDeterministicFillUninitializedMemory(false);
  }
}

}  // namespace hyperpp::trainer

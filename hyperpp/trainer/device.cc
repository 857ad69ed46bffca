#include "hyperpp/trainer/device.h"

#include <algorithm>

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <malloc.h>
#include <sched.h>

#include "hyperpp/core/error.h"
#include "hyperpp/kernels/cpu_features.h"

namespace hyperpp::trainer {
namespace {

// Cores this process may run on: fewer than the machine has inside a container or under taskset.
int NumUsableCores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof(set), &set) != 0) return 1;
  return std::max(1, CPU_COUNT(&set));
}

bool ComputesBFloat16Fast(const at::Device& device) {
  if (device.is_cuda()) return true;
  return kernels::HasFastBfloat16();
}

}  // namespace

int NumVisibleGpus() {
  return at::globalContext().hasCUDA() ? static_cast<int>(at::detail::getCUDAHooks().deviceCount())
                                       : 0;
}

RunDevice ChooseDevice(const config::Config& config, int local_rank, int local_world_size) {
  RunDevice run;
  const auto wanted = config.accelerator.device;
  const int gpus = wanted == config::DeviceType::kCpu ? 0 : NumVisibleGpus();
  if (wanted == config::DeviceType::kCuda && gpus == 0)
    throw ConfigError(
        "accelerator.device: cuda, but libtorch sees no GPU here (a CPU build of libtorch never "
        "does); "
        "use device: cpu or install a CUDA build");
  if (gpus > 0) run.device = at::Device(at::kCUDA, static_cast<at::DeviceIndex>(local_rank % gpus));

  const auto dtype = config.precision.compute_dtype;
  const bool bf16 = dtype == config::ComputeDType::kBFloat16 ||
                    (dtype == config::ComputeDType::kAuto && ComputesBFloat16Fast(run.device));
  run.compute_dtype = bf16 ? at::kBFloat16 : at::kFloat;

  const int share = std::max(1, NumUsableCores() / std::max(1, local_world_size));
  run.threads = static_cast<int>(config.accelerator.threads_per_rank.value_or(share));
  run.description = fmt::format("{}, {} thread{}, {} compute", run.device.str(), run.threads,
                                run.threads == 1 ? "" : "s", bf16 ? "bfloat16" : "float32");
  return run;
}

void PrepareProcess(const RunDevice& device, bool deterministic) {
  // Large buffers are reused instead of being returned to the system and faulted in again.
  mallopt(M_MMAP_THRESHOLD, 1 << 30);
  mallopt(M_TRIM_THRESHOLD, 2000000000);
  at::set_num_threads(device.threads);
  if (deterministic) {
    at::globalContext().setDeterministicAlgorithms(true, /*warn_only=*/false);
    at::globalContext().setDeterministicFillUninitializedMemory(false);
  }
}

}  // namespace hyperpp::trainer

// Where a run computes and in which precision: what `auto` means on this machine.
#pragma once

#include <string>

#include <ATen/core/Tensor.h>

#include "hyperpp/config/config.h"

namespace hyperpp::trainer {

struct RunDevice {
  at::Device device = at::kCPU;
  at::ScalarType compute_dtype = at::kFloat;
  int threads = 1;          // of this rank, for CPU work
  std::string description;  // "cpu (AVX512, BF16), 2 threads, bfloat16 compute"
};

/// Resolves accelerator.device, precision.compute_dtype and accelerator.threads_per_rank for the
/// rank with `local_rank` of `local_world_size` ranks on this machine. `auto` device is a GPU if
/// libtorch sees one; `auto` dtype is bf16 where the device computes it fast (AMX or AVX512-BF16,
/// GPUs from compute capability 8); `auto` threads is cores / local ranks, at least 1. Errors:
/// ConfigError if cuda is asked for and not there.
RunDevice ChooseDevice(const config::Config& config, int local_rank, int local_world_size);

/// Number of GPUs that libtorch can use; 0 in a CPU build.
int NumVisibleGpus();

/// Sets the number of threads of this process, and determinism of libtorch's own operators.
/// REQUIRES: called before the first operator runs.
void PrepareProcess(const RunDevice& device, bool deterministic);

}  // namespace hyperpp::trainer

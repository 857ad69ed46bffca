// Where a run computes and in which precision: what `auto` means on this machine.
#pragma once

#include <optional>
#include <string>

#include <ATen/core/Tensor.h>

#include "hyperpp/config/config.h"
#include "hyperpp/trainer/gpu.h"

namespace hyperpp::trainer {

struct RunDevice {
  at::Device device = at::kCPU;
  at::ScalarType compute_dtype = at::kFloat;
  int threads = 1;          // of this rank, for CPU work
  std::string description;  // "cuda:0 (NVIDIA H100 80GB HBM3), 8 threads, bfloat16 compute"
  std::optional<double> peak_flops;  // FLOP/s in the compute dtype, where known: device_peak.h
};

/// The device of rank `local_rank` of `local_world_size` on a machine with `num_gpus` GPUs: `auto`
/// is a GPU if there is one. With NCCL each rank needs a GPU of its own; with Gloo ranks share
/// them. Errors: ConfigError if cuda is asked for and not there, or there are more ranks than GPUs.
at::Device DeviceOfRank(const config::AcceleratorSection& accelerator, int local_rank,
                        int local_world_size, int num_gpus);

/// Resolves accelerator.device, precision.compute_dtype and accelerator.threads_per_rank for the
/// rank with `local_rank` of `local_world_size` ranks on this machine. `auto` dtype is bf16 where
/// the device computes it fast (AMX or AVX512-BF16, GPUs from compute capability 8); `auto` threads
/// is cores / local ranks, at least 1. Errors: those of DeviceOfRank.
RunDevice ChooseDevice(const config::Config& config, int local_rank, int local_world_size);

/// Makes `device` this process's current one, sets the number of its threads, and the determinism
/// of libtorch's own operators; sums of bf16 products on a GPU stay in fp32. REQUIRES: called
/// before the first operator runs.
void PrepareProcess(const RunDevice& device, bool deterministic);

}  // namespace hyperpp::trainer

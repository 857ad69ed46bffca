#include "hyperpp/comm/nccl_backend.h"

#include <torch/csrc/distributed/c10d/Backend.hpp>
#include <torch/csrc/distributed/c10d/Store.hpp>
#ifdef USE_C10D_NCCL
#include <torch/csrc/distributed/c10d/ProcessGroupNCCL.hpp>
#endif

#include "hyperpp/core/error.h"

namespace hyperpp::comm {

#ifdef USE_C10D_NCCL

bool HasNccl() { return true; }

BackendPtr ConnectNccl(const c10::intrusive_ptr<c10d::Store>& store, int rank, int num_ranks,
                       std::chrono::milliseconds timeout) {
  auto options = c10d::ProcessGroupNCCL::Options::create();
  options->timeout = timeout;
  return c10::make_intrusive<c10d::ProcessGroupNCCL>(store, rank, num_ranks, std::move(options));
}

#else

bool HasNccl() { return false; }

BackendPtr ConnectNccl(const c10::intrusive_ptr<c10d::Store>&, int, int,
                       std::chrono::milliseconds) {
  throw ConfigError(
      "accelerator.backend: this build has no NCCL; use gloo, or build against a CUDA libtorch");
}

#endif

}  // namespace hyperpp::comm

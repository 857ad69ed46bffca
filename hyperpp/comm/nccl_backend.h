// Backends of c10d for groups on GPUs: NCCL. Part of builds against a CUDA libtorch only.
#pragma once

#include <chrono>

#include <c10/util/intrusive_ptr.h>

#include "hyperpp/comm/backend_group.h"

namespace c10d {
class Store;
}

namespace hyperpp::comm {

/// Returns whether this build can make NCCL backends.
bool HasNccl();

/// Connects the ranks that call this with the same `store`, each with its current CUDA device;
/// `timeout` bounds every operation. Collective.
/// Errors: ConfigError if this build has no NCCL; what c10d and NCCL throw.
BackendPtr ConnectNccl(const c10::intrusive_ptr<c10d::Store>& store, int rank, int num_ranks,
                       std::chrono::milliseconds timeout);

}  // namespace hyperpp::comm

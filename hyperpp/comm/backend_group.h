// A group over a backend of c10d (ProcessGroupGloo, ProcessGroupNCCL).
//
// Adds to the backend what hyperpp promises: arguments are checked, tensors stay alive in the Work,
// bytes are counted, and every failure is a CommError that says who waited for whom. Operations
// that only move data send it as bytes, so that every dtype works on every backend.
#pragma once

#include <memory>
#include <vector>

#include <c10/util/intrusive_ptr.h>

#include "hyperpp/comm/failure_text.h"
#include "hyperpp/comm/group.h"

namespace c10d {
class Backend;
}

namespace hyperpp::comm {

using BackendPtr = c10::intrusive_ptr<c10d::Backend>;

/// Wraps `backend`, which connects `ranks` (world ranks, in group order); `rank` is this rank's
/// place among them. `failure` must outlive the group and its works.
///
/// If the group is destroyed after a failure, or while an exception leaves the run, the backend is
/// abandoned: its destructor would wait for operations that no peer will ever complete. The process
/// is about to end, and its end closes the connections.
std::unique_ptr<Group> MakeBackendGroup(BackendPtr backend, std::vector<int> ranks, int rank,
                                        const FailureText& failure);

}  // namespace hyperpp::comm

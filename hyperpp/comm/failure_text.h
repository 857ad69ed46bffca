// Text of communication failures, and the one place where errors of c10d and Gloo become CommError.
//
//     rank 1 (pp 1): step 12, receive from rank 0: connection closed by peer; rank 0 has ended, ...
//     |______________|________|____________________|________________________|____________________
//      who            doing    operation            what happened            what to look at
#pragma once

#include <chrono>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "hyperpp/core/mesh_layout.h"

namespace hyperpp::comm {

/// What a rank was communicating. Cheap to make; its text is made only when it fails.
struct Operation {
  std::string_view name;          // "all_reduce", "send", ...
  const std::vector<int>& ranks;  // world ranks of the group
  int peer = -1;                  // world rank of the other side, for point to point

  /// "all_reduce over ranks 0,1", "receive from rank 0".
  std::string Describe() const;
};

/// Writes `ranks` as "rank 3", "ranks 0,1" or, where there are many, "ranks 0,1,2,...,63 (64 in
/// all)".
std::string DescribeRanks(const std::vector<int>& ranks);

class FailureText {
 public:
  FailureText(const MeshLayout& layout, int rank, std::chrono::milliseconds timeout);

  void SetActivity(std::string activity);

  /// Returns "rank 1 (pp 1): step 12, all_reduce over ranks 0,1".
  std::string Where(const Operation& operation) const;

  /// Runs `function`; what it throws leaves as CommError about `operation`.
  template <typename Function>
  auto Guard(const Operation& operation, Function&& function) const {
    try {
      return function();
    } catch (...) {
      ThrowCommError(operation);
    }
  }

  /// Whether an operation of this rank has failed.
  bool HasFailed() const;

 private:
  /// Translates the exception in flight.
  [[noreturn]] void ThrowCommError(const Operation& operation) const;

  const std::string rank_label_;  // "rank 1 (pp 1)"
  const std::chrono::milliseconds timeout_;
  mutable std::mutex mutex_;  // operations may fail on several threads
  std::string activity_;
  mutable bool has_failed_ = false;
};

}  // namespace hyperpp::comm

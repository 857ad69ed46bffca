// A group of ranks that communicate: collectives and point to point, on Gloo (CPU) or NCCL (GPU).
//
// Everything here takes dense contiguous tensors and checks it: Gloo silently moves wrong bytes for
// views. A started operation is a Work; tensors it reads or writes stay alive inside it, and may be
// read or reused only after Wait(). Groups of one rank do nothing and cost nothing. Errors become
// CommError with rank, coordinates, step, operation and the ranks that were waited for.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <ATen/core/Tensor.h>

namespace hyperpp::comm {

enum class ReduceOp { kSum, kMax, kMin };

/// An operation under way. Must not outlive its group; a send that is dropped before Wait() is
/// cancelled.
class Work {
 public:
  virtual ~Work() = default;
  /// Returns when the operation is complete here (on GPUs: ordered before later work of the current
  /// stream). Errors: CommError.
  virtual void Wait() = 0;
};
using WorkPtr = std::unique_ptr<Work>;

/// Bytes and calls since the group was made, per kind of operation; for plans, tests and traces.
/// Counts the larger tensor of an operation (`out` of all_gather, `in` of reduce_scatter), and
/// nothing in groups of one rank.
struct Traffic {
  int64_t all_reduce_bytes = 0, all_gather_bytes = 0, reduce_scatter_bytes = 0,
          all_to_all_bytes = 0, broadcast_bytes = 0, sent_bytes = 0, num_calls = 0;
};

class Group {
 public:
  virtual ~Group() = default;

  /// World ranks of the group, in the order of the group.
  virtual const std::vector<int>& ranks() const = 0;
  /// This rank's place in ranks().
  virtual int rank() const = 0;
  int size() const { return static_cast<int>(ranks().size()); }

  // Collective: all ranks of the group, in the same order on each.

  /// In place on `tensor`.
  virtual WorkPtr AllReduce(at::Tensor tensor, ReduceOp op = ReduceOp::kSum) = 0;
  /// `out` [size * n] from every rank's `in` [n], in group order.
  virtual WorkPtr AllGather(at::Tensor out, at::Tensor in) = 0;
  /// `out` [n]: this rank's part of the sum of every rank's `in` [size * n].
  virtual WorkPtr ReduceScatter(at::Tensor out, at::Tensor in) = 0;
  /// Rows of dim 0: `send_counts[r]` rows of `in` go to r, `receive_counts[r]` rows come from r.
  virtual WorkPtr AllToAll(at::Tensor out, at::Tensor in,
                           const std::vector<int64_t>& receive_counts,
                           const std::vector<int64_t>& send_counts) = 0;
  virtual WorkPtr Broadcast(at::Tensor tensor, int root) = 0;

  // Point to point; `peer` is a place in ranks(). Messages of one (pair, tag) arrive in order.
  // REQUIRES: a message is received into a tensor of its size in bytes (Gloo ends the process that
  // receives more than it expects).

  virtual WorkPtr Send(at::Tensor tensor, int peer, int tag = 0) = 0;
  virtual WorkPtr Receive(at::Tensor tensor, int peer, int tag = 0) = 0;

  virtual Traffic traffic() const = 0;
};

}  // namespace hyperpp::comm

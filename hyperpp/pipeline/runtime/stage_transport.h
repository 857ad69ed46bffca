// Moves the tensors of stage boundaries between the ranks of a pipeline, in three ways that give
// the same bits:
//
//     blocking       each send and receive is complete before the rank goes on
//     overlapped     a receive only offers its buffers, and is waited for where the data is used; a
//                    send's tensors are kept until it is complete
//     multi-stream   overlapped, and activations and gradients have a communicator each, so that
//                    neither direction queues behind the other
//
// A message is named by its action (1RECV_F3). Its tensors are sent one by one, contiguous, in the
// order of their spec; messages of a pair of ranks match by their order within each direction.
//
// Sends are waited for late, but never without bound: a forward send at the latest when its
// gradient has come back (the receiver must have had it then), a backward send when two later ones
// have been started. The schedule is free of deadlock even if every send blocks (validator.h), so
// waiting for an older send cannot add one.
#pragma once

#include <deque>
#include <map>
#include <vector>

#include "hyperpp/comm/world.h"
#include "hyperpp/core/trace.h"
#include "hyperpp/pipeline/schedule/action.h"

namespace hyperpp::pipeline {

enum class Transport { kBlocking, kOverlapped, kMultiStream };

class StageTransport {
 public:
  /// Collective: all ranks of `world` (makes communicators). `trace` may be null.
  StageTransport(comm::World& world, Transport kind, Trace* trace);

  Transport kind() const { return kind_; }

  /// Starts the send `action` of `tensors` to pipeline rank `peer`. Errors: CommError.
  void Send(const Action& action, int peer, const std::vector<at::Tensor>& tensors);
  /// Starts the receive `action` from pipeline rank `peer` into `buffers`. Errors: CommError.
  void StartReceive(const Action& action, int peer, std::vector<at::Tensor> buffers);
  /// Returns the tensors of a started receive, once they are there. Errors: CommError.
  std::vector<at::Tensor> Take(const Action& receive);
  /// Waits for `send`, which the receiver is known to have, and lets go of its tensors; does
  /// nothing if that was done already. Errors: CommError.
  void Release(const Action& send);
  /// Waits for all sends. Errors: CommError.
  void Finish();

  /// Sends whose tensors are still kept, for tests of memory.
  int NumPendingSends() const { return static_cast<int>(sends_.size()); }

 private:
  struct Message {
    std::vector<at::Tensor> tensors;
    std::vector<comm::WorkPtr> works;
  };

  comm::Group& GroupOf(const Action& action) const;
  void WaitFor(Message& message, const Action& action);
  void BoundBackwardSends();

  Transport kind_;
  Trace* trace_;
  comm::Group* forward_;
  comm::Group* backward_;
  std::map<Action, Message> sends_, receives_;
  std::deque<Action> backward_sends_;  // oldest first
};

}  // namespace hyperpp::pipeline

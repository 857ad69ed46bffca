#include "hyperpp/pipeline/runtime/stage_transport.h"

#include <utility>

#include "hyperpp/core/error.h"
#include "hyperpp/pipeline/runtime/action_span.h"

namespace hyperpp::pipeline {
namespace {

// Gradients under way to the stage before, beside the newest; each holds one activation's memory.
constexpr std::size_t kBackwardSendsKept = 2;

// Tags of a single communicator: forward and backward messages of a pair match separately.
constexpr int kForwardTag = 0, kBackwardTag = 1;

bool IsForwardMessage(const Action& action) {
  return action.type == ActionType::kSendForward || action.type == ActionType::kReceiveForward;
}

int TagOf(const Action& action) { return IsForwardMessage(action) ? kForwardTag : kBackwardTag; }

}  // namespace

StageTransport::StageTransport(comm::World& world, Transport kind, Trace* trace)
    : kind_(kind), trace_(trace) {
  if (kind == Transport::kMultiStream) {
    forward_ = &world.Along({Axis::kPipeline}, "forward messages");
    backward_ = &world.Along({Axis::kPipeline}, "backward messages");
  } else {
    forward_ = backward_ = &world.Along({Axis::kPipeline});
  }
}

comm::Group& StageTransport::GroupOf(const Action& action) const {
  return IsForwardMessage(action) ? *forward_ : *backward_;
}

void StageTransport::Send(const Action& action, int peer, const std::vector<at::Tensor>& tensors) {
  const TraceSpan span = SpanOf(trace_, TraceLane::kCommunication, action);
  Message message;
  for (const at::Tensor& tensor : tensors) {
    message.tensors.push_back(tensor.contiguous());
    message.works.push_back(GroupOf(action).Send(message.tensors.back(), peer, TagOf(action)));
  }
  if (kind_ == Transport::kBlocking) return WaitFor(message, action);
  const bool added = sends_.emplace(action, std::move(message)).second;
  HYPERPP_CHECK(added, "{} is under way already", FormatAction(action));
  if (!IsForwardMessage(action)) {
    backward_sends_.push_back(action);
    BoundBackwardSends();
  }
}

void StageTransport::BoundBackwardSends() {
  while (backward_sends_.size() > kBackwardSendsKept) Release(backward_sends_.front());
}

void StageTransport::StartReceive(const Action& action, int peer, std::vector<at::Tensor> buffers) {
  const TraceSpan span = SpanOf(trace_, TraceLane::kCommunication, action);
  Message message{std::move(buffers), {}};
  for (const at::Tensor& buffer : message.tensors)
    message.works.push_back(GroupOf(action).Receive(buffer, peer, TagOf(action)));
  if (kind_ == Transport::kBlocking) WaitFor(message, action);
  const bool added = receives_.emplace(action, std::move(message)).second;
  HYPERPP_CHECK(added, "{} is under way already", FormatAction(action));
}

std::vector<at::Tensor> StageTransport::Take(const Action& receive) {
  auto node = receives_.extract(receive);
  HYPERPP_CHECK(!node.empty(), "{} was not started", FormatAction(receive));
  WaitFor(node.mapped(), receive);
  return std::move(node.mapped().tensors);
}

void StageTransport::Release(const Action& send) {
  if (!IsForwardMessage(send)) std::erase(backward_sends_, send);
  auto node = sends_.extract(send);
  if (!node.empty()) WaitFor(node.mapped(), send);
}

void StageTransport::Finish() {
  while (!sends_.empty()) Release(sends_.begin()->first);
}

void StageTransport::WaitFor(Message& message, const Action& action) {
  if (message.works.empty()) return;
  const TraceSpan span = SpanOf(trace_, TraceLane::kWait, action);
  for (comm::WorkPtr& work : message.works) work->Wait();
  message.works.clear();
}

}  // namespace hyperpp::pipeline

#include "hyperpp/comm/backend_group.h"

#include <exception>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <utility>

#include <ATen/ATen.h>
#include <torch/csrc/distributed/c10d/Backend.hpp>

#include "hyperpp/comm/arguments.h"
#include "hyperpp/core/error.h"

namespace hyperpp::comm {
namespace {

/// An operation that a backend has begun.
struct Started {
  c10::intrusive_ptr<c10d::Work> work;
  std::vector<at::Tensor> tensors;    // that it reads or writes
  std::function<void()> finish = {};  // what is left to do when it is complete
};

class BackendWork final : public Work {
 public:
  BackendWork(Started started, Operation operation, const FailureText& failure)
      : started_(std::move(started)), operation_(operation), failure_(failure) {}

  void Wait() override {
    // A second wait of Gloo's point to point would wait for a second message.
    if (!started_.work) return;
    const Started started = std::exchange(started_, {});
    failure_.Guard(operation_, [&] {
      if (!started.work->wait()) throw std::runtime_error("aborted");
    });
    if (started.finish) started.finish();
  }

 private:
  Started started_;
  const Operation operation_;
  const FailureText& failure_;
};

c10d::ReduceOp ToBackend(ReduceOp op) {
  switch (op) {
    case ReduceOp::kSum:
      return c10d::ReduceOp::SUM;
    case ReduceOp::kMax:
      return c10d::ReduceOp::MAX;
    case ReduceOp::kMin:
      return c10d::ReduceOp::MIN;
  }
  throw InternalError("unknown reduction");
}

/// The same memory as bytes: backends move every dtype alike.
at::Tensor AsBytes(const at::Tensor& tensor) { return tensor.detach().view({-1}).view(at::kByte); }

/// `sum` [n] = rows [count, n] added up one after the other, so that no element's sum depends on
/// its place; bf16 in fp32, rounded once.
void SumRows(const at::Tensor& rows, at::Tensor sum) {
  at::Tensor total = sum;
  if (sum.scalar_type() == at::kBFloat16)
    total = rows[0].to(at::kFloat).add_(rows[1]);
  else
    at::add_out(total, rows[0], rows[1]);
  for (int64_t row = 2; row < rows.size(0); ++row) total.add_(rows[row]);
  if (!total.is_same(sum)) sum.copy_(total);
}

int64_t NumBytes(const at::Tensor& tensor) { return static_cast<int64_t>(tensor.nbytes()); }

/// The operations on whole tensors are called by the names that every libtorch from 2.11 on has:
/// 2.14 renamed them (all_gather_single, reduce_scatter_single, all_to_all_single), and keeps the
/// old names as aliases.
class BackendGroup final : public Group {
 public:
  BackendGroup(BackendPtr backend, std::vector<int> ranks, int rank, const FailureText& failure)
      : backend_(std::move(backend)),
        ranks_(std::move(ranks)),
        rank_(rank),
        failure_(failure),
        has_reduce_scatter_(backend_->getBackendName() != "gloo") {}

  ~BackendGroup() override {
    if (failure_.HasFailed() || std::uncaught_exceptions() > 0) backend_.release();
  }

  const std::vector<int>& ranks() const override { return ranks_; }
  int rank() const override { return rank_; }
  Traffic traffic() const override {
    const std::scoped_lock lock(mutex_);
    return traffic_;
  }

  WorkPtr AllReduce(at::Tensor tensor, ReduceOp op) override {
    CheckDense("all_reduce", tensor);
    return Start({"all_reduce", ranks_}, &Traffic::all_reduce_bytes, NumBytes(tensor), [&] {
      std::vector<at::Tensor> tensors{tensor.detach()};
      c10d::AllreduceOptions options;
      options.reduceOp = ToBackend(op);
      return Started{backend_->allreduce(tensors, options), tensors};
    });
  }

  WorkPtr AllGather(at::Tensor out, at::Tensor in) override {
    CheckParts("all_gather", out, in, size());
    return Start({"all_gather", ranks_}, &Traffic::all_gather_bytes, NumBytes(out), [&] {
      at::Tensor out_bytes = AsBytes(out), in_bytes = AsBytes(in);
      return Started{backend_->_allgather_base(out_bytes, in_bytes), {out_bytes, in_bytes}};
    });
  }

  WorkPtr ReduceScatter(at::Tensor out, at::Tensor in) override {
    CheckParts("reduce_scatter", in, out, size());
    return Start({"reduce_scatter", ranks_}, &Traffic::reduce_scatter_bytes, NumBytes(in), [&] {
      if (!has_reduce_scatter_) return ExchangeAndSum(out, in);
      at::Tensor out_part = out.detach().view({-1}), in_whole = in.detach().view({-1});
      auto work = backend_->_reduce_scatter_base(out_part, in_whole);
      return Started{work, {out_part, in_whole}};
    });
  }

  WorkPtr AllToAll(at::Tensor out, at::Tensor in, const std::vector<int64_t>& receive_counts,
                   const std::vector<int64_t>& send_counts) override {
    CheckRows("all_to_all", out, receive_counts, size());
    CheckRows("all_to_all", in, send_counts, size());
    CheckSameRows("all_to_all", out, in);
    return Start({"all_to_all", ranks_}, &Traffic::all_to_all_bytes, NumBytes(in), [&] {
      const int64_t row_bytes =
          c10::multiply_integers(in.sizes().slice(1)) * static_cast<int64_t>(in.element_size());
      std::vector<int64_t> receive_bytes = receive_counts, send_bytes = send_counts;
      for (int64_t& count : receive_bytes) count *= row_bytes;
      for (int64_t& count : send_bytes) count *= row_bytes;
      at::Tensor out_bytes = AsBytes(out), in_bytes = AsBytes(in);
      auto work = backend_->alltoall_base(out_bytes, in_bytes, receive_bytes, send_bytes);
      return Started{work, {out_bytes, in_bytes}};
    });
  }

  WorkPtr Broadcast(at::Tensor tensor, int root) override {
    CheckDense("broadcast", tensor);
    HYPERPP_CHECK(root >= 0 && root < size(), "broadcast from {} of {} ranks", root, size());
    return Start({"broadcast", ranks_}, &Traffic::broadcast_bytes, NumBytes(tensor), [&] {
      std::vector<at::Tensor> tensors{AsBytes(tensor)};
      c10d::BroadcastOptions options;
      options.rootRank = root;
      return Started{backend_->broadcast(tensors, options), tensors};
    });
  }

  WorkPtr Send(at::Tensor tensor, int peer, int tag) override {
    CheckDense("send", tensor);
    CheckPeer("send", peer, rank_, size());
    return Start({"send", ranks_, ranks_[peer]}, &Traffic::sent_bytes, NumBytes(tensor), [&] {
      std::vector<at::Tensor> tensors{AsBytes(tensor)};
      return Started{backend_->send(tensors, peer, tag), tensors};
    });
  }

  WorkPtr Receive(at::Tensor tensor, int peer, int tag) override {
    CheckDense("receive", tensor);
    CheckPeer("receive", peer, rank_, size());
    return Start({"receive", ranks_, ranks_[peer]}, nullptr, 0, [&] {
      std::vector<at::Tensor> tensors{AsBytes(tensor)};
      return Started{backend_->recv(tensors, peer, tag), tensors};
    });
  }

 private:
  /// Every rank gets all terms of its part, and adds them up in group order.
  Started ExchangeAndSum(const at::Tensor& out, const at::Tensor& in) {
    const at::Tensor terms = at::empty({size(), out.numel()}, out.options());
    at::Tensor out_bytes = AsBytes(terms), in_bytes = AsBytes(in);
    std::vector<int64_t> equal_parts;
    auto work = backend_->alltoall_base(out_bytes, in_bytes, equal_parts, equal_parts);
    return {work, {out_bytes, in_bytes}, [terms, sum = out.detach().view({-1})] {
              SumRows(terms, sum);
            }};
  }

  /// Counts the call and runs `start`, whose failure is one of `operation`.
  template <typename Function>
  WorkPtr Start(Operation operation, int64_t Traffic::*bytes_of_kind, int64_t num_bytes,
                Function&& start) {
    {
      const std::scoped_lock lock(mutex_);
      ++traffic_.num_calls;
      if (bytes_of_kind != nullptr) traffic_.*bytes_of_kind += num_bytes;
    }
    Started started = failure_.Guard(operation, start);
    return std::make_unique<BackendWork>(std::move(started), operation, failure_);
  }

  BackendPtr backend_;
  const std::vector<int> ranks_;
  const int rank_;
  const FailureText& failure_;
  const bool has_reduce_scatter_;  // Gloo's sums and sends whole tensors
  mutable std::mutex mutex_;       // point to point runs from several threads
  Traffic traffic_;
};

}  // namespace

std::unique_ptr<Group> MakeBackendGroup(BackendPtr backend, std::vector<int> ranks, int rank,
                                        const FailureText& failure) {
  return std::make_unique<BackendGroup>(std::move(backend), std::move(ranks), rank, failure);
}

}  // namespace hyperpp::comm

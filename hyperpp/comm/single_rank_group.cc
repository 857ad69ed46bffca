#include "hyperpp/comm/single_rank_group.h"

#include "hyperpp/comm/arguments.h"
#include "hyperpp/core/error.h"

namespace hyperpp::comm {
namespace {

class FinishedWork final : public Work {
 public:
  void Wait() override {}
};

WorkPtr CopyInto(at::Tensor& out, const at::Tensor& in) {
  const at::Tensor source = in.detach();
  at::Tensor destination = out.detach();
  if (!destination.is_alias_of(source) || destination.data_ptr() != source.data_ptr()) {
    destination.view({-1}).copy_(source.view({-1}), /*non_blocking=*/true);
  }
  return std::make_unique<FinishedWork>();
}

class SingleRankGroup final : public Group {
 public:
  explicit SingleRankGroup(int rank) : ranks_{rank} {}

  const std::vector<int>& ranks() const override { return ranks_; }
  int rank() const override { return 0; }
  Traffic traffic() const override { return {}; }

  WorkPtr AllReduce(at::Tensor tensor, ReduceOp) override {
    CheckDense("all_reduce", tensor);
    return std::make_unique<FinishedWork>();
  }
  WorkPtr AllGather(at::Tensor out, at::Tensor in) override {
    CheckParts("all_gather", out, in, 1);
    return CopyInto(out, in);
  }
  WorkPtr ReduceScatter(at::Tensor out, at::Tensor in) override {
    CheckParts("reduce_scatter", in, out, 1);
    return CopyInto(out, in);
  }
  WorkPtr AllToAll(at::Tensor out, at::Tensor in, const std::vector<int64_t>& receive_counts,
                   const std::vector<int64_t>& send_counts) override {
    CheckRows("all_to_all", out, receive_counts, 1);
    CheckRows("all_to_all", in, send_counts, 1);
    CheckSameRows("all_to_all", out, in);
    return CopyInto(out, in);
  }
  WorkPtr Broadcast(at::Tensor tensor, int root) override {
    CheckDense("broadcast", tensor);
    HYPERPP_CHECK_EQ(root, 0, "broadcast within one rank");
    return std::make_unique<FinishedWork>();
  }
  WorkPtr Send(at::Tensor, int peer, int) override { NoPeer("send", peer); }
  WorkPtr Receive(at::Tensor, int peer, int) override { NoPeer("receive", peer); }

 private:
  [[noreturn]] void NoPeer(std::string_view operation, int peer) const {
    throw InternalError(
        fmt::format("{} with peer {} in the group of rank {} alone", operation, peer, ranks_[0]));
  }

  const std::vector<int> ranks_;
};

}  // namespace

std::unique_ptr<Group> MakeSingleRankGroup(int rank) {
  return std::make_unique<SingleRankGroup>(rank);
}

}  // namespace hyperpp::comm

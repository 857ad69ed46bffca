#include "hyperpp/parallel/tensor/region.h"

#include <utility>
#include <vector>

#include <ATen/ops/empty.h>

#include "hyperpp/core/error.h"
#include "hyperpp/models/layer/graph_node.h"

namespace hyperpp::parallel {
namespace {

using models::Activation;
using models::AppendNode;

// A batch of empty samples has no tokens, and nothing to send.
at::Tensor SumInPlace(comm::Group& group, at::Tensor term) {
  if (term.numel() > 0) group.AllReduce(term)->Wait();
  return term;
}

at::Tensor GatherRows(comm::Group& group, const at::Tensor& slice) {
  std::vector<int64_t> sizes = slice.sizes().vec();
  sizes[0] *= group.size();
  at::Tensor whole = at::empty(sizes, slice.options());
  if (whole.numel() > 0) group.AllGather(whole, slice.contiguous())->Wait();
  return whole;
}

at::Tensor ScatterSum(comm::Group& group, const at::Tensor& term) {
  std::vector<int64_t> sizes = term.sizes().vec();
  HYPERPP_CHECK_EQ(sizes[0] % group.size(), 0, "{} tokens on {} ranks", sizes[0], group.size());
  sizes[0] /= group.size();
  at::Tensor slice = at::empty(sizes, term.options());
  if (slice.numel() > 0) group.ReduceScatter(slice, term.contiguous())->Wait();
  return slice;
}

class Region : public models::TensorRegion {
 public:
  explicit Region(comm::Group& group) : group_(group) {}

  bool AddsBias() const override { return group_.rank() == 0; }

  at::Tensor GatherParts(const at::Tensor& part) override {
    return GatherRows(group_, part.unsqueeze(0));
  }

 protected:
  comm::Group& group_;
};

class ReplicatedRegion final : public Region {
 public:
  using Region::Region;

  int64_t NumHiddenRows(int64_t num_tokens) const override { return num_tokens; }

  Activation Enter(const Activation& x_TH, int num_readers) override {
    const at::Tensor entered =
        AppendNode("EnterRegion", {x_TH.value}, {x_TH.value.detach()},
                   [&group = group_](const auto& gradients) {
                     // A copy: other nodes may have been handed the same gradient.
                     at::Tensor term = gradients[0].clone(at::MemoryFormat::Contiguous);
                     return std::vector<at::Tensor>{SumInPlace(group, std::move(term))};
                   })[0];
    if (!x_TH.remake) return entered;
    return {entered,
            std::make_shared<models::Remake>([kept = x_TH.Keep()] { return kept(); }, num_readers)};
  }

  at::Tensor Leave(const at::Tensor& term_TH) override {
    const at::Tensor sum = SumInPlace(group_, term_TH.detach());
    return AppendNode("LeaveRegion", {term_TH}, {sum.detach()}, [](const auto& gradients) {
      return std::vector<at::Tensor>{gradients[0]};
    })[0];
  }
};

class SequenceRegion final : public Region {
 public:
  using Region::Region;

  int64_t NumHiddenRows(int64_t num_tokens) const override {
    HYPERPP_CHECK_EQ(num_tokens % group_.size(), 0, "{} tokens on {} ranks", num_tokens,
                     group_.size());
    return num_tokens / group_.size();
  }

  Activation Enter(const Activation& x_RH, int num_readers) override {
    const at::Tensor entered =
        AppendNode("EnterRegion", {x_RH.value}, {GatherRows(group_, x_RH.value.detach())},
                   [&group = group_](const auto& gradients) {
                     return std::vector<at::Tensor>{ScatterSum(group, gradients[0])};
                   })[0];
    if (!x_RH.remake) return entered;
    return {entered,
            std::make_shared<models::Remake>(
                [&group = group_, kept = x_RH.Keep()] { return GatherRows(group, kept()); },
                num_readers)};
  }

  at::Tensor Leave(const at::Tensor& term_TH) override {
    return AppendNode("LeaveRegion", {term_TH}, {ScatterSum(group_, term_TH.detach())},
                      [&group = group_](const auto& gradients) {
                        return std::vector<at::Tensor>{GatherRows(group, gradients[0])};
                      })[0];
  }
};

}  // namespace

std::shared_ptr<models::TensorRegion> MakeTensorRegion(comm::Group& group, bool sequence_parallel) {
  if (sequence_parallel) return std::make_shared<SequenceRegion>(group);
  return std::make_shared<ReplicatedRegion>(group);
}

}  // namespace hyperpp::parallel

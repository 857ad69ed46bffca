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

// A sum over ranks under way.
struct PendingSum {
  at::Tensor result;
  comm::WorkPtr work;  // null: a batch of empty samples has no tokens, and nothing to send

  at::Tensor Wait() {
    if (work) work->Wait();
    return std::move(result);
  }
};

at::Tensor GatherRows(comm::Group& group, const at::Tensor& slice) {
  std::vector<int64_t> sizes = slice.sizes().vec();
  sizes[0] *= group.size();
  at::Tensor whole = at::empty(sizes, slice.options());
  if (whole.numel() > 0) group.AllGather(whole, slice.contiguous())->Wait();
  return whole;
}

// Who may read the term of a sum after it was handed over.
enum class Term { kOurs, kOthersToo };

class Region : public models::TensorRegion {
 public:
  explicit Region(comm::Group& group) : group_(group) {}

  Activation Enter(const Activation& x_RH, int num_readers) final {
    const auto deferred = std::make_shared<models::DeferredWork>();
    Activation entered(AppendNode("EnterRegion", {x_RH.value}, {AllRows(x_RH.value.detach())},
                                  [this, deferred](const auto& gradients) {
                                    PendingSum sum = StartSum(gradients[0], Term::kOthersToo);
                                    deferred->Run();
                                    return std::vector<at::Tensor>{sum.Wait()};
                                  })[0]);
    entered.deferred = deferred;
    if (x_RH.remake)
      entered.remake = std::make_shared<models::Remake>(
          [this, kept = x_RH.Keep()] { return AllRows(kept()); }, num_readers);
    return entered;
  }

  at::Tensor Leave(const at::Tensor& term_TH) final {
    return AppendNode("LeaveRegion", {term_TH}, {StartSum(term_TH.detach(), Term::kOurs).Wait()},
                      [this](const auto& gradients) {
                        return std::vector<at::Tensor>{AllRows(gradients[0])};
                      })[0];
  }

  bool AddsBias() const override { return group_.rank() == 0; }

  at::Tensor GatherParts(const at::Tensor& part) override {
    return GatherRows(group_, part.unsqueeze(0));
  }

 protected:
  // The rows between regions -> those of all tokens.
  virtual at::Tensor AllRows(const at::Tensor& rows_RH) = 0;
  // Terms of all tokens -> the rows between regions of their sum.
  virtual PendingSum StartSum(const at::Tensor& term_TH, Term term) = 0;

  comm::Group& group_;
};

class ReplicatedRegion final : public Region {
 public:
  using Region::Region;

  int64_t NumHiddenRows(int64_t num_tokens) const override { return num_tokens; }

 protected:
  at::Tensor AllRows(const at::Tensor& rows_TH) override { return rows_TH; }

  PendingSum StartSum(const at::Tensor& term_TH, Term term) override {
    const at::Tensor sum =
        term == Term::kOurs ? term_TH : term_TH.clone(at::MemoryFormat::Contiguous);
    return {sum, sum.numel() > 0 ? group_.AllReduce(sum) : nullptr};
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

 protected:
  at::Tensor AllRows(const at::Tensor& rows_RH) override { return GatherRows(group_, rows_RH); }

  PendingSum StartSum(const at::Tensor& term_TH, Term) override {
    std::vector<int64_t> sizes = term_TH.sizes().vec();
    sizes[0] = NumHiddenRows(sizes[0]);
    const at::Tensor slice = at::empty(sizes, term_TH.options());
    if (slice.numel() == 0) return {slice, nullptr};
    return {slice, group_.ReduceScatter(slice, term_TH.contiguous())};
  }
};

}  // namespace

std::shared_ptr<models::TensorRegion> MakeTensorRegion(comm::Group& group, bool sequence_parallel) {
  if (sequence_parallel) return std::make_shared<SequenceRegion>(group);
  return std::make_shared<ReplicatedRegion>(group);
}

}  // namespace hyperpp::parallel

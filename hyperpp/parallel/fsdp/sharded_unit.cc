#include "hyperpp/parallel/fsdp/sharded_unit.h"

#include <algorithm>

#include "hyperpp/core/error.h"

namespace hyperpp::parallel {

ShardedUnit::ShardedUnit(const models::ShardUnit& unit, ShardGroups groups, BufferPool& pool)
    : unit_(unit), groups_(groups), pool_(pool) {
  HYPERPP_CHECK_EQ(unit.shard_numel * groups.gather.size(), unit.numel, "elements of a unit");
  if (groups.gather.size() > 1) return;
  whole_ = unit_.compute;
  gradients_ = unit_.gradients;
  for (std::size_t i = 0; i < unit_.weights.size(); ++i) {
    unit_.weights[i]->LendCompute(PieceOf(whole_, i));
    if (gradients_.defined() && unit_.weights[i]->trainable())
      unit_.weights[i]->LendGradient(PieceOf(gradients_, i));
  }
}

bool ShardedUnit::IsTrainable() const {
  return std::any_of(unit_.weights.begin(), unit_.weights.end(),
                     [](const models::Weight* weight) { return weight->trainable(); });
}

at::Tensor ShardedUnit::PieceOf(const at::Tensor& whole, std::size_t weight) const {
  const models::Weight& of = *unit_.weights[weight];
  return whole.narrow(0, unit_.offsets[weight], of.local_numel()).view(of.local_shape());
}

void ShardedUnit::StartUnshard() {
  if (IsRequested()) return;
  pending_ = pool_.Take(unit_.numel, unit_.compute_dtype);
  gather_ = groups_.gather.AllGather(pending_, unit_.compute);
  ++num_unshards_;
}

void ShardedUnit::WaitUnshard() {
  if (IsGathered()) return;
  HYPERPP_CHECK(gather_, "weights of a unit are used before their gather was started");
  gather_->Wait();
  gather_ = nullptr;
  whole_ = std::move(pending_);
  pending_.reset();
  for (std::size_t i = 0; i < unit_.weights.size(); ++i)
    unit_.weights[i]->LendCompute(PieceOf(whole_, i));
}

void ShardedUnit::Reshard() {
  if (groups_.gather.size() == 1 || !IsRequested()) return;
  WaitUnshard();
  for (models::Weight* weight : unit_.weights) weight->LendCompute({});
  whole_.reset();
}

void ShardedUnit::LendGradients() {
  if (GradientsAreLent() || !IsTrainable()) return;
  gradients_ = pool_.Take(unit_.numel, at::kFloat);
  gradients_.zero_();
  for (std::size_t i = 0; i < unit_.weights.size(); ++i) {
    if (unit_.weights[i]->trainable()) unit_.weights[i]->LendGradient(PieceOf(gradients_, i));
  }
}

void ShardedUnit::StartReduce() {
  if (groups_.reduce.size() == 1 || !GradientsAreLent()) return;
  FinishReduce();  // of an earlier microbatch
  for (models::Weight* weight : unit_.weights) weight->LendGradient({});
  reducing_ = std::move(gradients_);
  gradients_.reset();
  reduced_ = pool_.Take(unit_.shard_numel, at::kFloat);
  reduce_ = groups_.reduce.ReduceScatter(reduced_, reducing_);
}

void ShardedUnit::FinishReduce() {
  if (!reduce_) return;
  reduce_->Wait();
  reduce_ = nullptr;
  at::Tensor(unit_.gradients).add_(reduced_);
  reducing_.reset();
  reduced_.reset();
}

}  // namespace hyperpp::parallel

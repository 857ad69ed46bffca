// One unit of sharded weights: gathered before use, let go after it, gradients summed into the
// shard.
//
//     shard (owned, fp32) --cast--> shard (compute dtype) --all-gather--> whole (lent to kernels)
//     shard gradient (fp32) += <--reduce-scatter-- whole gradient (fp32, lent to kernels)
//
// Gathering is asynchronous: StartUnshard returns at once, WaitUnshard lends the weights. A unit
// whose shard group has one rank owns everything already: it lends its own memory once and for all,
// starts no gather, and its gradients accumulate in place.
#pragma once

#include <cstdint>

#include "hyperpp/comm/group.h"
#include "hyperpp/models/parameter_store.h"
#include "hyperpp/parallel/fsdp/buffer_pool.h"

namespace hyperpp::parallel {

/// Communicators along the shard axis; gathers and reductions have one each, so that their order
/// among each other does not matter.
struct ShardGroups {
  comm::Group& gather;
  comm::Group& reduce;
};

class ShardedUnit {
 public:
  /// `unit` and `pool` outlive this.
  ShardedUnit(const models::ShardUnit& unit, ShardGroups groups, BufferPool& pool);

  bool IsGathered() const { return whole_.defined(); }
  /// Whether a gather is under way or done.
  bool IsRequested() const { return gather_ != nullptr || IsGathered(); }

  /// Starts the gather, unless it is under way or done. Collective, not waited for.
  void StartUnshard();
  /// Waits for the gather and lends the weights to kernels.
  void WaitUnshard();
  /// Takes the weights back.
  void Reshard();

  /// Lends whole gradients, zero at first, unless they are lent already.
  void LendGradients();
  bool GradientsAreLent() const { return gradients_.defined(); }
  /// Takes the whole gradients back and starts their sum. Collective, not waited for.
  void StartReduce();
  /// Waits for the sum, and adds this rank's part to the shard's gradient.
  void FinishReduce();

  /// Gathers started so far.
  int64_t num_unshards() const { return num_unshards_; }

 private:
  bool IsTrainable() const;
  at::Tensor PieceOf(const at::Tensor& whole, std::size_t weight) const;

  const models::ShardUnit& unit_;
  ShardGroups groups_;
  BufferPool& pool_;
  at::Tensor whole_;      // lent
  at::Tensor pending_;    // being gathered
  at::Tensor gradients_;  // whole, lent
  at::Tensor reducing_, reduced_;
  comm::WorkPtr gather_, reduce_;
  int64_t num_unshards_ = 0;
};

}  // namespace hyperpp::parallel

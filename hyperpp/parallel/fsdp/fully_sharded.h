// Fully sharded data parallelism (ZeRO stage 3): each rank of dp_shard stores a part of every
// weight, its gradient and its moments, and has whole weights only around their use.
//
//     sites of a stage     embed    layer 0    layer 1    ...    head
//     forward      gather    |  use  |  use  |               ->          next site is prefetched
//     backward                <-   |  use  | reduce-scatter  |  use ...   previous site is
//     prefetched
//
// A site is where weights are used: the embedding, a decoder layer, the head with the final norm. A
// wrapper around it gathers the site's groups, starts the gather of the next `prefetch` sites,
// waits, runs, and lets go; in the backward pass a graph node behind the site's output does the
// same in the other direction. Gradients are added into a whole fp32 buffer, whose reduce-scatter
// starts as soon as all weights of the group have reported; at most two are under way.
//
// Ranks issue their collectives in the order of the model, which is the same on all of them.
// Source: Rajbhandari et al., ZeRO, arXiv:1910.02054, section 5.3; Zhao et al., PyTorch FSDP,
// arXiv:2304.11277.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "hyperpp/models/decoder.h"
#include "hyperpp/models/parameter_store.h"
#include "hyperpp/parallel/fsdp/sharded_unit.h"
#include "hyperpp/pipeline/runtime/stage_sharding.h"

namespace hyperpp::parallel {

struct FsdpOptions {
  bool reshard_after_forward = true;  // else whole weights stay until the backward has used them
  int prefetch = 1;                   // sites gathered ahead
  bool comm_fusion = true;            // one unit per group; else one per weight
};

class FullySharded : public pipeline::StageSharding {
 public:
  explicit FullySharded(FsdpOptions options) : options_(options) {}
  ~FullySharded() override;

  /// Groups the weights of `stage` of `decoder` and puts wrappers around their sites. Call for each
  /// stage of this rank, in order, after other dimensions have wrapped what they wrap.
  void AddStage(models::Decoder& decoder, const pipeline::StageRange& stage);
  /// Lists of weights that ParameterStore is to lay out as units.
  const std::vector<std::vector<models::Weight*>>& unit_lists() const { return lists_; }
  /// Takes over the sharded `store`, which was made from unit_lists() and outlives this.
  void Attach(models::ParameterStore& store, ShardGroups groups, at::Device device);

  /// Call before a step. `passes_per_reduction`: backward passes of a stage between reductions.
  void BeginStep(int64_t passes_per_reduction);
  /// Waits for all reductions; owned gradients are final sums over dp_shard then.
  void FinishStep();

  void Unshard(pipeline::StageIndex stage) override;
  void Reshard(pipeline::StageIndex stage) override;
  void ReduceGradients(pipeline::StageIndex stage) override;

  /// Gathers started so far, for tests.
  int64_t num_unshards() const;

 private:
  // Weights that are gathered together.
  struct Group {
    std::vector<std::size_t> lists;  // of lists_
    std::vector<models::Weight*> weights;
    std::vector<ShardedUnit*> units;  // after Attach
    int64_t missing_reports = 0;      // until the gradients are final
  };
  // Where weights are used.
  struct Site {
    std::vector<std::size_t> forward, backward;  // groups that each direction reads
    // Groups to whose gradients each direction adds; the head adds to its weight's in the forward.
    std::vector<std::size_t> forward_adds, backward_adds;
  };
  struct Stage {
    int index;
    std::size_t first_site, end_site;
    std::vector<std::size_t> groups;
  };

  std::size_t AddGroup(const std::vector<models::Weight*>& weights);
  models::LayerWrapper WrapperOf(std::size_t site);
  at::Tensor RunSite(std::size_t site, const models::LayerCall& call, const at::Tensor& input);
  void BeginBackward(std::size_t site);
  void ForEachUnit(const std::vector<std::size_t>& groups, void (ShardedUnit::*action)());
  const Stage& StageOf(std::size_t site) const;
  const Stage& StageAt(pipeline::StageIndex stage) const;
  void Report(std::size_t group);
  void StartReduce(Group& group);
  void ResetReports(Group& group) const;

  const FsdpOptions options_;
  std::vector<std::vector<models::Weight*>> lists_;
  std::vector<Group> groups_;
  std::vector<Site> sites_;
  std::vector<Stage> stages_;
  std::unique_ptr<BufferPool> pool_;
  std::vector<std::unique_ptr<ShardedUnit>> units_;
  std::deque<Group*> reducing_;  // oldest first
  int64_t passes_per_reduction_ = 1;
};

}  // namespace hyperpp::parallel

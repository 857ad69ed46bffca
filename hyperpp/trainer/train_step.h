// One optimizer step: forward and backward of every microbatch, gradient reduction, norm, clipping,
// update.
//
//     schedule    F B F B F B            gradients accumulate in fp32 over microbatches
//     shards          [ reduce-scatter ] groups are summed as soon as they are final
//     replicas            [ reduce ]     buckets likewise; shards at the end
//     tensor                       [+]   gradients of whole weights, one term per rank
//     tied                         [+]   first and last stage add up
//     end                             norm, agreement of all ranks, update
//
// The step has one agreement of all ranks, at its end. It carries the loss, the gradient norm and
// whatever the ranks must decide together: whether the step is finite, and whether a signal asked
// to stop. A value that several ranks hold alike is given by one of them and by zero from the
// others.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "hyperpp/comm/world.h"
#include "hyperpp/core/exact_sum.h"
#include "hyperpp/core/trace.h"
#include "hyperpp/optim/optimizer.h"
#include "hyperpp/parallel/replicate/gradient_reducer.h"
#include "hyperpp/trainer/build_model.h"
#include "hyperpp/trainer/checksum_log.h"
#include "hyperpp/trainer/global_batch.h"

namespace hyperpp::trainer {

/// What a step is told from outside.
struct StepRequest {
  int64_t step = 0;  // from 1
  double learning_rate = 0;
  bool stop_requested = false;  // on this rank
};

struct StepResult {
  double loss = 0;                // of the global batch; NaN without any label
  double grad_norm = 0;           // before clipping
  bool finite = true;             // loss and norm; a step that is not finite has changed no weight
  bool stop = false;              // some rank asked to stop after this step
  int64_t peak_memory_bytes = 0;  // of the rank that used most
};

class TrainStep {
 public:
  /// `trace` may be null.
  TrainStep(BuiltModel& model, optim::Optimizer& optimizer, comm::World& world,
            const config::Config& config, Trace* trace);

  /// Hashes of gradients and weights are taken from now on.
  void set_checksums(ChecksumLog* checksums) { checksums_ = checksums; }

  /// Trains on `batch`. Collective: all ranks.
  StepResult Run(const StepRequest& request, const LocalBatch& batch);

 private:
  // Returns the parts of the loss that this rank computed, on its device.
  at::Tensor ForwardBackward(const StepRequest& request, const LocalBatch& batch);
  void BeginReduction(int64_t num_microbatches);
  void FinishReduction();
  void SumTiedGradients();
  void UpdateWeights(const StepRequest& request, const LocalBatch& batch, StepResult& result);
  StepResult Agree(const at::Tensor& losses, bool stop_requested);

  BuiltModel& model_;
  optim::Optimizer& optimizer_;
  comm::World& world_;
  const config::Config& config_;
  Trace* trace_;
  ChecksumLog* checksums_ = nullptr;
  std::vector<models::Weight*> counted_;  // trainable; in the norm by this rank
  std::vector<models::Weight*> partial_;  // trainable; summed over tensor-parallel ranks
  comm::Group& replicas_;
  std::unique_ptr<parallel::GradientReducer> reducer_;  // null if weights are sharded
};

}  // namespace hyperpp::trainer

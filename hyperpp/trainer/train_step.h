// One optimizer step: forward and backward of every microbatch, gradient reduction, norm, clipping,
// update.
//
//     microbatch 1   F B
//     microbatch 2        F B            gradients accumulate in fp32
//     microbatch 3             F B       buckets are reduced while this backward runs
//     end                          norm, agreement of all ranks, update
//
// The step has one agreement of all ranks, at its end. It carries the loss and whatever the ranks
// must decide together: whether the step is finite, and whether a signal asked to stop.
#pragma once

#include <cstdint>

#include "hyperpp/comm/world.h"
#include "hyperpp/models/decoder.h"
#include "hyperpp/models/parameter_store.h"
#include "hyperpp/optim/optimizer.h"
#include "hyperpp/parallel/replicate/gradient_reducer.h"
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
  TrainStep(models::Decoder& model, models::ParameterStore& store, optim::Optimizer& optimizer,
            comm::World& world, const config::Config& config, kernels::RotaryTables tables);

  /// Trains on `batch`. Collective: all ranks.
  StepResult Run(const StepRequest& request, const LocalBatch& batch);

 private:
  double ForwardBackward(const StepRequest& request, const Microbatch& microbatch,
                         double token_weight);
  StepResult Agree(double local_loss, double grad_norm, bool stop_requested);

  models::Decoder& model_;
  models::ParameterStore& store_;
  optim::Optimizer& optimizer_;
  comm::World& world_;
  const config::Config& config_;
  kernels::RotaryTables tables_;
  std::vector<models::Weight*> trainable_;
  parallel::GradientReducer reducer_;
};

}  // namespace hyperpp::trainer

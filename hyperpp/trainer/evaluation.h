// Loss over a whole evaluation set: the plain mean over its labels, whatever the layout.
//
// Sample i belongs to data-parallel coordinate i mod D. A set that does not divide evenly leaves
// some coordinates with less; they fill up with tokens without labels, so that all of them run as
// many passes (sharded weights are gathered together). Sums and counts are added up once at the
// end.
#pragma once

#include "hyperpp/comm/world.h"
#include "hyperpp/data/source.h"
#include "hyperpp/pipeline/runtime/auto_pipeline.h"
#include "hyperpp/trainer/microbatch.h"
#include "hyperpp/trainer/run_inputs.h"

namespace hyperpp::trainer {

struct EvaluationResult {
  double loss = 0;  // mean over labels; NaN without any
  int64_t num_labels = 0;
};

/// How a rank makes microbatches of samples.
struct EvaluationBatches {
  int64_t batch_size = 1;
  TokenShare share;
  at::Device device;
};

/// Microbatches as in training.
EvaluationBatches EvaluationBatchesOf(const RunInputs& inputs, comm::World& world,
                                      at::Device device);

/// Evaluates on all samples of `source`. Collective: all ranks.
EvaluationResult Evaluate(pipeline::AutoPipeline& pipeline, const data::Source& source,
                          comm::World& world, const EvaluationBatches& batches);

}  // namespace hyperpp::trainer

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

namespace hyperpp::trainer {

struct EvaluationResult {
  double loss = 0;  // mean over labels; NaN without any
  int64_t num_labels = 0;
};

/// Evaluates on all samples of `source`, in microbatches of `batch_size`. Collective: all ranks.
EvaluationResult Evaluate(pipeline::AutoPipeline& pipeline, const data::Source& source,
                          comm::World& world, int64_t batch_size, at::Device device);

}  // namespace hyperpp::trainer

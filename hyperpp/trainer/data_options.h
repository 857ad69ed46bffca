// What data sources must know of a run.
#pragma once

#include "hyperpp/comm/world.h"
#include "hyperpp/data/source.h"
#include "hyperpp/trainer/run_inputs.h"

namespace hyperpp::trainer {

/// Sequence length, vocabulary, seed and the model's end-of-document id of `inputs`, for sources
/// that all ranks of `world` open at once.
inline data::SourceOptions DataOptions(const RunInputs& inputs, const comm::World& world) {
  data::SourceOptions options;
  options.sequence_length = inputs.config.training.sequence_length;
  options.vocab_size = inputs.spec.vocab_size;
  options.seed = inputs.config.training.seed;
  options.model_eos_token_id = inputs.spec.eos_token_id;
  options.rank = world.rank();
  options.num_ranks = world.size();
  return options;
}

}  // namespace hyperpp::trainer

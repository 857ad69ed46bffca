// What data sources must know of a run.
#pragma once

#include "hyperpp/data/source.h"
#include "hyperpp/trainer/run_inputs.h"

namespace hyperpp::trainer {

/// Sequence length, vocabulary, seed and the model's end-of-document id of `inputs`.
inline data::SourceOptions DataOptions(const RunInputs& inputs) {
  data::SourceOptions options;
  options.sequence_length = inputs.config.training.sequence_length;
  options.vocab_size = inputs.spec.vocab_size;
  options.seed = inputs.config.training.seed;
  options.model_eos_token_id = inputs.spec.eos_token_id;
  return options;
}

}  // namespace hyperpp::trainer

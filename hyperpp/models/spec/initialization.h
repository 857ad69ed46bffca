// How a parameter of a model without weights starts, as transformers does it for the dense
// families: normal(0, initializer_range) for linear layers and the embedding, one for norm gains,
// zero for biases. The embedding's row `pad_token_id`, if there is one, is zero.
//
// The distribution alone is fixed here; values come from (seed, name) in the trainer.
//
// Source: transformers 5.24, PreTrainedModel._init_weights in modeling_utils.py.
#pragma once

#include "hyperpp/core/outline.h"

namespace hyperpp::models {

enum class InitKind { kNormal, kOnes, kZeros };

/// Returns how `parameter` starts, judged by its name and number of dims.
InitKind InitOf(const ParameterOutline& parameter);

}  // namespace hyperpp::models

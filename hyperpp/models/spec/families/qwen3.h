// qwen3 (dense): RMS norm of each head's queries and keys before the rotation, an explicit
// head_dim, biases only if asked for, sliding windows in the upper layers.
//
// Source: transformers 5.24, models/qwen3.
#pragma once

#include "hyperpp/models/spec/decoder_spec.h"
#include "hyperpp/models/spec/field_reader.h"

namespace hyperpp::models {

/// Reads a config of model_type qwen3.
void ReadQwen3(FieldReader& config, DecoderSpec& spec);

}  // namespace hyperpp::models

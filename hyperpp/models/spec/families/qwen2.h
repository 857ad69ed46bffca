// qwen2: biases on q, k and v always and nowhere else; sliding windows in the upper layers.
//
// Source: transformers 5.24, models/qwen2.
#pragma once

#include "hyperpp/models/spec/decoder_spec.h"
#include "hyperpp/models/spec/field_reader.h"

namespace hyperpp::models {

/// Reads a config of model_type qwen2.
void ReadQwen2(FieldReader& config, DecoderSpec& spec);

}  // namespace hyperpp::models

// llama: biases on all projections of attention or of the MLP if the config asks for them.
//
// Source: transformers 5.24, models/llama.
#pragma once

#include "hyperpp/models/spec/decoder_spec.h"
#include "hyperpp/models/spec/field_reader.h"

namespace hyperpp::models {

/// Reads a config of model_type llama.
void ReadLlama(FieldReader& config, DecoderSpec& spec);

}  // namespace hyperpp::models

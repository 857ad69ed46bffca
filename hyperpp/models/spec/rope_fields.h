// How the rotary embedding is written in config.json, in the old and in the new spelling.
//
//     old:  "rope_theta": 500000.0, "rope_scaling": {"type": "linear", "factor": 2.0}
//     new:  "rope_parameters": {"rope_type": "linear", "rope_theta": 500000.0, "factor": 2.0}
//
// A rope_scaling that is not empty replaces rope_parameters; inside, rope_theta wins over the one
// outside, rope_type over type.
//
// Source: transformers 5.24, modeling_rope_utils.py (convert_rope_params_to_dict,
// standardize_rope_params, validate_rope).
#pragma once

#include <cstdint>

#include "hyperpp/models/spec/decoder_spec.h"
#include "hyperpp/models/spec/field_reader.h"

namespace hyperpp::models {

/// Reads rope_parameters, rope_scaling, rope_theta and original_max_position_embeddings.
RopeSpec ReadRope(FieldReader& config, int64_t max_position_embeddings);

}  // namespace hyperpp::models

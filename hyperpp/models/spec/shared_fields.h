// The fields that all dense families have, and how each is derived when it is absent or null.
//
// Families differ in defaults and in which extra fields they have; a family file gives its defaults
// here and reads the extra fields itself.
//
// Source: transformers 5.24, models/{llama,qwen2,qwen3}/configuration_*.py.
#pragma once

#include <cstdint>
#include <optional>

#include "hyperpp/models/spec/decoder_spec.h"
#include "hyperpp/models/spec/field_reader.h"

namespace hyperpp::models {

/// Values of the fields that a config.json leaves out.
struct DenseDefaults {
  int64_t vocab_size;
  int64_t hidden_size;
  int64_t intermediate_size;
  int64_t max_position_embeddings;
  std::optional<int64_t> head_dim;             // empty: hidden_size / num_attention_heads
  std::optional<int64_t> num_key_value_heads;  // empty: num_attention_heads
  std::optional<int64_t> bos_token_id, eos_token_id;
};

/// Reads everything but biases, norms of q and k, and attention windows into `spec`.
void ReadSharedFields(FieldReader& config, const DenseDefaults& defaults, DecoderSpec& spec);

/// Reads sliding_window, use_sliding_window, max_window_layers and layer_types into
/// `spec.layer_windows`. REQUIRES: `spec.num_layers` is set.
/// Source: transformers 5.24, configuration_qwen3.py.
void ReadWindows(FieldReader& config, DecoderSpec& spec);

}  // namespace hyperpp::models

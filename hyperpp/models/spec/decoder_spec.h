// What a model's config.json says, as numbers: the same struct for every dense family. No torch
// here, so that plans can be made without it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "hyperpp/core/outline.h"

namespace hyperpp::models {

/// How rotary frequencies are scaled for longer contexts.
/// Source: transformers 5.24, modeling_rope_utils.py (default, linear, dynamic, yarn, llama3).
struct RopeSpec {
  enum class Type { kDefault, kLinear, kDynamic, kYarn, kLlama3 };
  Type type = Type::kDefault;
  double theta = 10000;
  double factor = 1;
  double partial_rotary_factor = 1;
  int64_t original_max_position_embeddings = 0;                    // yarn, llama3, dynamic
  double low_freq_factor = 1, high_freq_factor = 4;                // llama3
  double beta_fast = 32, beta_slow = 1;                            // yarn
  std::optional<double> attention_factor, mscale, mscale_all_dim;  // yarn
  bool truncate = true;                                            // yarn
};

/// Numbers of a dense decoder-only model.
struct DecoderSpec {
  std::string family;  // model_type
  int64_t vocab_size = 0;
  int64_t hidden_size = 0;
  int64_t intermediate_size = 0;
  int64_t num_layers = 0;
  int64_t num_heads = 0;
  int64_t num_key_value_heads = 0;
  int64_t head_dim = 0;
  int64_t max_position_embeddings = 0;
  double rms_norm_eps = 1e-6;
  double initializer_range = 0.02;
  double attention_dropout = 0;
  bool tie_word_embeddings = false;
  bool qkv_bias = false;
  bool output_bias = false;  // o_proj
  bool mlp_bias = false;
  bool qk_norm = false;
  std::vector<int64_t> layer_windows;  // per layer: sliding window in tokens, 0 for full attention
  RopeSpec rope;
  std::optional<int64_t> eos_token_id,
      bos_token_id;  // the first one where config.json lists several
  // Row of the embedding that transformers gives to torch as padding_idx: it starts at zero, and
  // looking it up has no gradient (a tied head's gradient still reaches it).
  std::optional<int64_t> pad_token_id;
  std::string torch_dtype;  // dtype of exported weights: "float32", "bfloat16", "float16"
  nlohmann::json source;    // config.json as given with overrides applied; what export writes
  std::vector<std::string> warnings;  // fields of config.json that hyperpp does not know

  /// Names, global shapes and layers of all parameters, in the order of the model.
  ModelOutline Outline() const;
};

/// Reads the config of one of the supported families.
/// `where` stands for the file in messages.
///
/// A field is honoured; or known not to change what is trained, and ignored; or known to change
/// it, and refused unless it says what the family does anyway; or unknown, and then
/// `DecoderSpec::warnings` names it. The lists are in field_rules.cc.
/// Errors: InputError with a line for each field that is missing, of the wrong type, out of range
///         or one that cannot be honoured (hidden_act other than silu, longrope, ...); for an
///         unknown model_type with the supported list.
DecoderSpec ParseDecoderSpec(const nlohmann::json& config, const std::string& where);

/// Reads `path`/config.json, applies `overrides` (an object, or null) and parses the result.
/// Errors: InputError if there is no config.json or it is not JSON, IoError if it cannot be read,
///         and those of ParseDecoderSpec.
DecoderSpec LoadDecoderSpec(const std::string& path, const nlohmann::json& overrides);

}  // namespace hyperpp::models

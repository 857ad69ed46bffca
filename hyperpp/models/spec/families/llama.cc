#include "hyperpp/models/spec/families/llama.h"

#include <fmt/format.h>

#include "hyperpp/models/spec/shared_fields.h"

namespace hyperpp::models {

void ReadLlama(FieldReader& config, DecoderSpec& spec) {
  ReadSharedFields(config,
                   {.vocab_size = 32000,
                    .hidden_size = 4096,
                    .intermediate_size = 11008,
                    .max_position_embeddings = 2048,
                    .head_dim = {},
                    .num_key_value_heads = {},
                    .bos_token_id = 1,
                    .eos_token_id = 2},
                   spec);
  spec.qkv_bias = spec.output_bias = config.Boolean("attention_bias", false);
  spec.mlp_bias = config.Boolean("mlp_bias", false);
  if (spec.hidden_size % spec.num_heads != 0)
    config.Refuse("hidden_size", fmt::format("{} is no multiple of num_attention_heads = {}",
                                             spec.hidden_size, spec.num_heads));
}

}  // namespace hyperpp::models

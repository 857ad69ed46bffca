#include "hyperpp/models/spec/families/qwen3.h"

#include "hyperpp/models/spec/shared_fields.h"

namespace hyperpp::models {

void ReadQwen3(FieldReader& config, DecoderSpec& spec) {
  ReadSharedFields(config,
                   {.vocab_size = 151936,
                    .hidden_size = 4096,
                    .intermediate_size = 22016,
                    .max_position_embeddings = 32768,
                    .head_dim = 128,
                    .num_key_value_heads = 32,
                    .bos_token_id = {},
                    .eos_token_id = {}},
                   spec);
  spec.qkv_bias = spec.output_bias = config.Boolean("attention_bias", false);
  spec.qk_norm = true;
  ReadWindows(config, spec);
}

}  // namespace hyperpp::models

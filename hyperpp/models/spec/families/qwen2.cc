#include "hyperpp/models/spec/families/qwen2.h"

#include "hyperpp/models/spec/shared_fields.h"

namespace hyperpp::models {

void ReadQwen2(FieldReader& config, DecoderSpec& spec) {
  ReadSharedFields(config,
                   {.vocab_size = 151936,
                    .hidden_size = 4096,
                    .intermediate_size = 22016,
                    .max_position_embeddings = 32768,
                    .head_dim = {},
                    .num_key_value_heads = 32,
                    .bos_token_id = {},
                    .eos_token_id = {}},
                   spec);
  spec.qkv_bias = true;
  // No field of qwen2, but written by some tools; the model has its biases whatever it says.
  if (config.HasValue("attention_bias") && !config.Boolean("attention_bias", true))
    config.Refuse("attention_bias", "false cannot be honoured; qwen2 has biases on q, k and v");
  ReadWindows(config, spec);
}

}  // namespace hyperpp::models

// The numbers of a model that a plan needs, so that planning knows no model family.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace hyperpp::plan {

/// Names follow config.json. A size of 0 means that the model has no such part.
struct ModelFacts {
  std::string family;  // model_type
  int64_t num_layers = 0;
  int64_t num_heads = 0;            // num_attention_heads
  int64_t num_key_value_heads = 0;  // 0: not split by tensor parallelism
  int64_t head_dim = 0;             // of queries and keys
  int64_t value_head_dim = 0;       // 0: head_dim
  bool qk_norm = false;             // a norm of each query and key head before the rotation
  int64_t hidden_size = 0;
  int64_t intermediate_size = 0;
  int64_t vocab_size = 0;
  int64_t max_position_embeddings = 0;
  std::vector<int64_t> layer_windows;  // sliding window in tokens, 0 for full attention

  int64_t num_experts = 0;            // routed ones
  int64_t num_experts_per_token = 0;  // of them
  int64_t moe_intermediate_size = 0;
  int64_t num_mtp_blocks = 0;
  bool has_indexer = false;

  // FQNs of the parameters outside the layers that cost differs for.
  std::string embedding = "model.embed_tokens.weight";
  std::string head = "lm_head.weight";
};

}  // namespace hyperpp::plan

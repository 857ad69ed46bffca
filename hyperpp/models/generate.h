// Text generation: one pass over the prompt, then one token at a time with a key/value cache.
// Dynamic rotary scaling grows with the sequence, as in transformers' generate with a cache
// (5.24, dynamic_rope_update in modeling_rope_utils.py).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "hyperpp/models/decoder.h"

namespace hyperpp::models {

struct GenerateOptions {
  int64_t max_new_tokens = 100;
  double temperature = 1.0;  // 0: greedy
  double top_p = 1.0;        // keep the most likely tokens that together reach this probability
  uint64_t seed = 0;
  std::optional<int64_t> stop_token;
};

/// Returns `prompt` and the tokens that follow. `on_token` is called with each new one.
/// The stop token, if met, is the last of the result.
/// REQUIRES: a materialised model; prompt not empty, ids inside the vocabulary.
std::vector<int64_t> Generate(Decoder& model, const std::vector<int64_t>& prompt,
                              const GenerateOptions& options,
                              const std::function<void(int64_t)>& on_token = nullptr);

/// Picks a token from fp32 `logits_V`: the largest (lowest index on ties) at temperature 0, else a
/// draw from the softmax of logits / temperature, cut to the top-p nucleus. `uniform` is in [0, 1).
/// Source: nucleus sampling, arXiv:1904.09751.
int64_t PickToken(const at::Tensor& logits_V, double temperature, double top_p, double uniform);

}  // namespace hyperpp::models

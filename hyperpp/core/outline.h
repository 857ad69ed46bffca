// The shape of a model without its values: what plans, checkpoints and loaders work on.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace hyperpp {

/// One parameter of the full model under its Hugging Face name.
struct ParameterOutline {
  std::string fqn;
  std::vector<int64_t> shape;  // global
  int64_t layer = -1;          // decoder layer that owns it; -1: embedding, final norm or head

  int64_t NumElements() const {
    int64_t n = 1;
    for (int64_t size : shape) n *= size;
    return n;
  }
};

/// All parameters of a model in the order of its layers.
struct ModelOutline {
  std::vector<ParameterOutline> parameters;
  int64_t num_layers = 0;
  /// Tied parameters: (alias, owner) pairs, e.g. ("lm_head.weight", "model.embed_tokens.weight").
  /// Aliases are not in `parameters`.
  std::vector<std::pair<std::string, std::string>> tied;
};

}  // namespace hyperpp

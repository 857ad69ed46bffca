#include "hyperpp/models/spec/tensor_placement.h"

#include <string>

#include <fnmatch.h>

#include "hyperpp/core/error.h"

namespace hyperpp::models {
namespace {

constexpr PlacementRule kDensePlacements[] = {
    {"model.embed_tokens.weight", TensorPlacement::kVocabulary},
    {"lm_head.weight", TensorPlacement::kVocabulary},
    {"*.self_attn.[qkv]_proj.*", TensorPlacement::kColumn},
    {"*.self_attn.[qk]_norm.weight", TensorPlacement::kHeadGain},
    {"*.self_attn.o_proj.weight", TensorPlacement::kRow},
    {"*.self_attn.o_proj.bias", TensorPlacement::kRowBias},
    {"*.mlp.gate_proj.*", TensorPlacement::kColumn},
    {"*.mlp.up_proj.*", TensorPlacement::kColumn},
    {"*.mlp.down_proj.weight", TensorPlacement::kRow},
    {"*.mlp.down_proj.bias", TensorPlacement::kRowBias},
    {"*.input_layernorm.weight", TensorPlacement::kHiddenGain},
    {"*.post_attention_layernorm.weight", TensorPlacement::kHiddenGain},
    {"model.norm.weight", TensorPlacement::kHiddenGain},
};

}  // namespace

std::span<const PlacementRule> DensePlacements() { return kDensePlacements; }

TensorPlacement PlacementOf(std::span<const PlacementRule> rules, std::string_view fqn) {
  const std::string name(fqn);
  for (const PlacementRule& rule : rules)
    if (fnmatch(rule.pattern, name.c_str(), 0) == 0) return rule.placement;
  throw InternalError(fmt::format("no tensor-parallel placement for {}", fqn));
}

}  // namespace hyperpp::models

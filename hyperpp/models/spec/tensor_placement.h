// How a family's parameters lie on ranks under tensor parallelism: name pattern -> placement, as
// data. A family names neither ranks nor degrees; parallel/tensor/ acts on the table.
//
// W is [out, in], so that a column split of the math (each rank makes some outputs) cuts dim 0 of
// the tensor, and a row split dim 1. Source: Megatron-LM, arXiv:1909.08053, section 3.
#pragma once

#include <span>
#include <string_view>

namespace hyperpp::models {

enum class TensorPlacement {
  kColumn,      // dim 0 is cut: outputs, with their biases
  kRow,         // dim 1 is cut: inputs; ranks' products are terms of a sum
  kVocabulary,  // dim 0 is cut: token ids
  kRowBias,     // whole on every rank; added to the sum once
  kHeadGain,    // whole; used on a rank's heads, so that its gradient there is a term of a sum
  kHiddenGain,  // whole; used on the hidden states of a rank's tokens: a term where ranks have
                // different tokens (sequence parallelism)
};

struct PlacementRule {
  const char* pattern;  // of fnmatch(3)
  TensorPlacement placement;
};

/// The rules of the families in families/, all of which have the modules of Llama.
std::span<const PlacementRule> DensePlacements();

/// The placement of parameter `fqn`: that of the first rule that matches.
/// Errors: InternalError if none does.
TensorPlacement PlacementOf(std::span<const PlacementRule> rules, std::string_view fqn);

}  // namespace hyperpp::models

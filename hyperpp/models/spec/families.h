// The supported model families, as a plain array. A new dense family is one file in families/ and
// one line in families.cc.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "hyperpp/models/spec/decoder_spec.h"
#include "hyperpp/models/spec/field_reader.h"
#include "hyperpp/models/spec/tensor_placement.h"

namespace hyperpp::models {

/// A value of model_type, how its config.json is read, and how its parameters are split.
struct Family {
  std::string_view model_type;
  void (*read)(FieldReader& config, DecoderSpec& spec);
  std::span<const PlacementRule> (*tensor_placements)();
};

/// All of them, in the order in which messages list them.
std::span<const Family> Families();

/// The family of that model_type, or null.
const Family* FindFamily(std::string_view model_type);

/// "llama, qwen2, qwen3".
std::string ListFamilies();

}  // namespace hyperpp::models

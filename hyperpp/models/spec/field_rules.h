// What happens to the fields of config.json that no family reads.
//
// A config.json carries much that does not matter for training (generation settings, labels of
// classifiers, versions), and now and then something that does: a field of a relative of the
// family, or of a variant with custom code. transformers silently ignores both kinds. Here each
// field has one of four fates:
//
//   read        by the family or by shared_fields.cc
//   irrelevant  on the list here; does not change what is trained
//   fixed       on the list here; may only say what the model does anyway, else it is refused
//   unknown     on no list; a warning names it
//
// Source: transformers 5.24, configuration_utils.py, and the config fields of families related to
// llama, qwen2 and qwen3.
#pragma once

#include <string_view>

#include "hyperpp/models/spec/field_reader.h"

namespace hyperpp::models {

/// Whether `name` cannot change what is trained, whatever its value.
bool IsIrrelevantField(std::string_view name);

/// Refuses fields that would change the model and that no supported family honours. Fields that
/// `config` was already asked for are the family's business and are skipped.
void RefuseForeignFields(FieldReader& config);

/// Warns of each field that is neither read, nor irrelevant, nor foreign.
void WarnOfUnknownFields(FieldReader& config);

}  // namespace hyperpp::models

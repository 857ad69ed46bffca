// What to do about a key that does not exist: names the one that was probably meant.
//
// In this order: the name this key has in other trainers (learning_rate -> lr), a key of that name
// in another section, the nearest spelling in the same section, else all keys of the section.
#pragma once

#include <string>
#include <vector>

#include "hyperpp/config/section_table.h"

namespace hyperpp::config {

/// Advice for the unknown key `key` of section `section`.
std::string SuggestKey(const std::vector<Section>& schema, const std::string& section,
                       const std::string& key);

/// Advice for the unknown section, or misplaced key, `name` at the top of the file.
std::string SuggestSection(const std::vector<Section>& schema, const std::string& name);

/// The keys to which the names of other trainers lead.
std::vector<std::string> SynonymTargets();

/// Names of all keys of `section`, with those that are sections themselves.
std::vector<std::string> KeyNames(const std::vector<Section>& schema, const std::string& section);

}  // namespace hyperpp::config

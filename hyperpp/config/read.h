// Reads a document's tree into a Config along the schema.
#pragma once

#include <vector>

#include "hyperpp/config/document.h"
#include "hyperpp/config/section_table.h"

namespace hyperpp::config {

/// Fills `config` from `root`; notes unknown and misplaced keys, wrong values and missing keys.
void ReadDocument(const std::vector<Section>& schema, const Value& root, Config& config,
                  Problems& problems);

}  // namespace hyperpp::config

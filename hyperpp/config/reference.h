// The reference of all keys, from the schema: what `hyperpp config` prints and
// docs/config_reference.md holds (a test compares the page with this).
#pragma once

#include <string>

namespace hyperpp::config {

/// For a terminal: a block per section, aligned.
std::string ReferenceText();
/// For the documents: a table per section.
std::string ReferenceMarkdown();

}  // namespace hyperpp::config

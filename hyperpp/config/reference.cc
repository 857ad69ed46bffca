#include "hyperpp/config/reference.h"

#include <algorithm>

#include <fmt/format.h>

#include "hyperpp/config/schema.h"

namespace hyperpp::config {
namespace {

// The character that separates table cells must be escaped inside one.
std::string TableCell(const std::string& text) {
  std::string cell;
  for (char c : text) {
    if (c == '|') cell += '\\';
    cell += c;
  }
  return cell;
}

constexpr std::string_view kPageHead = R"(# Configuration reference

<!-- Generated from hyperpp/config/schema_*.cc; tests/config/reference_test.cc compares it and says
     how to write it anew. -->

A run is described by one YAML file with the sections below. Unknown, duplicated and misplaced keys,
values of the wrong type and values out of range are refused before anything starts, all of them in
one message with file and line. A key without a value (`null`) counts as absent, and an absent key
has its default. Numbers may be written as `1e-4`; whole numbers as `1e6`; other integers than the
seed are at most 2147483647. Relative paths are resolved against the current directory.
`--set section.key=value` on the command line replaces a value, written in YAML syntax.
)";

}  // namespace

std::string ReferenceText() {
  constexpr size_t kMeaningColumn = 30;
  std::string text;
  for (const Section& section : Schema()) {
    text += fmt::format("{}{}: {}\n", text.empty() ? "" : "\n", section.name, section.meaning);
    for (const Key& key : section.keys) {
      text += fmt::format("  {:<{}}{}\n", key.name, kMeaningColumn - 2, key.meaning);
      text += fmt::format(
          "{:{}}{}; {}{}\n", "", kMeaningColumn, key.type,
          key.default_text.starts_with("required") ? "" : "default: ", key.default_text);
    }
  }
  return text;
}

std::string ReferenceMarkdown() {
  std::string text(kPageHead);
  for (const Section& section : Schema()) {
    text += fmt::format("\n## {}\n\n{}\n\n", section.name, section.meaning);
    text += "| Key | Type | Default | Meaning |\n|---|---|---|---|\n";
    for (const Key& key : section.keys) {
      text += fmt::format("| `{}` | {} | {} | {} |\n", key.name, TableCell(key.type),
                          TableCell(key.default_text), TableCell(key.meaning));
    }
  }
  return text;
}

}  // namespace hyperpp::config

// What a plain YAML scalar means, and how values are written back.
//
// The rules are those of YAML 1.2's core schema (yaml.org/spec/1.2.2, section 10.3), which differ
// from YAML 1.1 where that surprises people: `1e-4` is a number, `no` and `010` are not a boolean
// and not an octal number. A whole number may be written as a float (`steps: 1e6`).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

namespace hyperpp::config {

/// True for the spellings of null: empty, `~`, null, Null, NULL.
bool IsNullText(const std::string& text);
/// true or false in YAML's spellings, else nothing.
std::optional<bool> ParseBoolean(const std::string& text);
/// A whole number that fits, also in scientific notation, else nothing.
std::optional<int64_t> ParseInteger(const std::string& text);
/// A finite number, else nothing.
std::optional<double> ParseNumber(const std::string& text);
/// The scalar as JSON: null, boolean, integer (without point or exponent), float or text.
nlohmann::json ScalarToJson(const std::string& text);

/// `value` on one line of YAML: [0.9, 0.95], {path: data, weight: 2.0}; text is quoted where it
/// would otherwise be read as something else.
std::string FlowText(const nlohmann::json& value);

}  // namespace hyperpp::config

// A YAML document as a tree of values that know where they were written.
//
// This file is all that the rest of the package knows of YAML's syntax. The tree differs from
// yaml-cpp's in three ways: a key that is given twice is a mistake with both lines (YAML forbids
// it, yaml-cpp keeps both), `--set` changes the tree before it is read, so that such values pass
// the same checks as written ones, and a second document or an alias that holds itself is refused.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "hyperpp/config/location.h"
#include "hyperpp/config/problems.h"

namespace hyperpp::config {

struct Value {
  enum class Kind { kNull, kScalar, kList, kMap };

  Kind kind = Kind::kNull;
  std::string text;               // of a scalar
  bool quoted = false;            // a scalar in quotes is text, whatever it looks like
  std::vector<Value> items;       // of a list or a map
  std::vector<std::string> keys;  // of a map: the name of each item, unique, in written order
  Location where;

  /// The item named `key`, or null.
  Value* Find(const std::string& key);
  /// Shows the value in a message: the scalar, or "a list", "a map".
  std::string Show() const;
};

/// Parses `text`; `name` stands for the file. On malformed YAML notes why and returns an empty map.
Value ParseDocument(const std::string& text, const std::string& name, Problems& problems);

/// Puts the value of "section.key=value" into `root`, in place of one that is there.
void ApplyOverride(const std::string& setting, Value& root, Problems& problems);

/// The value as JSON; plain scalars become null, booleans, integers or floats where they look so.
nlohmann::json ToJson(const Value& value);

}  // namespace hyperpp::config

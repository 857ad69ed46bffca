// Collects the mistakes of a configuration, so that all are reported at once.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "hyperpp/config/location.h"

namespace hyperpp::config {

class Problems {
 public:
  /// Notes a mistake at key `path`, written at `where`; `fact` is "<fact>; <what to do>".
  void Add(const Location& where, const std::string& path, const std::string& fact) {
    Add(where.At(path), path, fact);
  }
  /// The same, with `head` in front of the fact.
  void Add(const std::string& head, const std::string& path, const std::string& fact) {
    lines_.push_back(head + ": " + fact);
    keys_.insert(path);
  }

  bool Empty() const { return lines_.empty(); }
  /// True if the value of key `path` is already known to be wrong.
  bool Concern(const std::string& path) const { return keys_.contains(path); }
  /// All mistakes, one a line.
  std::string Text() const;

 private:
  std::vector<std::string> lines_;
  std::set<std::string> keys_;
};

}  // namespace hyperpp::config

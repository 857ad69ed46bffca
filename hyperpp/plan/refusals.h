// Collects why no run can be planned, so that all reasons are reported at once.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "hyperpp/config/location.h"

namespace hyperpp::plan {

class Refusals {
 public:
  explicit Refusals(const config::KeyLocations& locations) : locations_(locations) {}

  /// Notes a reason at configuration key `path`; `fact` is "<fact>; <what to do>".
  void Add(const std::string& path, const std::string& fact) {
    lines_.push_back(locations_.At(path) + ": " + fact);
  }
  bool Empty() const { return lines_.empty(); }
  const std::vector<std::string>& Lines() const { return lines_; }
  std::string Text() const { return fmt::format("{}", fmt::join(lines_, "\n")); }

 private:
  const config::KeyLocations& locations_;
  std::vector<std::string> lines_;
};

}  // namespace hyperpp::plan

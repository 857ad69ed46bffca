#include "hyperpp/plan/trainable.h"

#include <fmt/format.h>

namespace hyperpp::plan {

bool MatchesPattern(std::string_view pattern, std::string_view name) {
  // On a mismatch the last * takes one more character: earlier ones need not change.
  size_t p = 0, n = 0, star = std::string_view::npos, star_name = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      star_name = n;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == name[n])) {
      ++p;
      ++n;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      n = ++star_name;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

std::set<std::string> TrainableParameters(const std::vector<std::string>& patterns,
                                          const ModelOutline& outline, Refusals& refusals) {
  std::set<std::string> trainable;
  for (const std::string& pattern : patterns) {
    bool matches = false;
    for (const ParameterOutline& parameter : outline.parameters) {
      if (!MatchesPattern(pattern, parameter.fqn)) continue;
      trainable.insert(parameter.fqn);
      matches = true;
    }
    for (const auto& [alias, owner] : outline.tied) {
      if (!MatchesPattern(pattern, alias)) continue;
      trainable.insert(owner);
      matches = true;
    }
    if (!matches) {
      refusals.Add("training.trainable",
                   fmt::format("pattern {} matches no parameter; names look like {}", pattern,
                               outline.parameters.empty() ? "" : outline.parameters[0].fqn));
    }
  }
  return trainable;
}

}  // namespace hyperpp::plan

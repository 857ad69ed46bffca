// Which parameters are trained: training.trainable, a list of name patterns.
//
// `*` stands for any text, dots included, and `?` for one character; the whole name must match.
// A parameter is trained if one of the patterns matches it, and frozen otherwise:
//
//     ["*"]                                  everything
//     ["lm_head.weight", "*norm.weight"]     the head and all norm gains
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "hyperpp/core/outline.h"
#include "hyperpp/plan/refusals.h"

namespace hyperpp::plan {

/// True if `pattern` matches the whole of `name`.
bool MatchesPattern(std::string_view pattern, std::string_view name);

/// FQNs that one of `patterns` matches; notes patterns that match nothing.
std::set<std::string> TrainableParameters(const std::vector<std::string>& patterns,
                                          const ModelOutline& outline, Refusals& refusals);

}  // namespace hyperpp::plan

// Guesses what a misspelt word was meant to be.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hyperpp::config {

/// Number of single-character insertions, deletions, replacements and swaps of neighbours between
/// two words. Source: optimal string alignment, a form of Damerau, CACM 7(3), 1964.
int EditDistance(std::string_view a, std::string_view b);

/// The candidate nearest to `word`, if about two thirds of it agree; the first of equals.
std::optional<std::string> NearestWord(std::string_view word,
                                       const std::vector<std::string_view>& candidates);

}  // namespace hyperpp::config

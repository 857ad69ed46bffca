#include "hyperpp/config/nearest.h"

#include <algorithm>
#include <numeric>

namespace hyperpp::config {

int EditDistance(std::string_view a, std::string_view b) {
  // Rows of the distance table between the first i characters of `a` and the first j of `b`.
  std::vector<int> before_previous, previous(b.size() + 1), current(b.size() + 1);
  std::iota(previous.begin(), previous.end(), 0);
  for (size_t i = 1; i <= a.size(); ++i) {
    current[0] = static_cast<int>(i);
    for (size_t j = 1; j <= b.size(); ++j) {
      current[j] = std::min(
          {previous[j] + 1, current[j - 1] + 1, previous[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        current[j] = std::min(current[j], before_previous[j - 2] + 1);
      }
    }
    before_previous = previous;
    previous = current;
  }
  return previous[b.size()];
}

std::optional<std::string> NearestWord(std::string_view word,
                                       const std::vector<std::string_view>& candidates) {
  constexpr size_t kMaxWord = 64;  // longer ones are no misspelling, and the table is quadratic
  if (word.empty() || word.size() > kMaxWord) return std::nullopt;
  std::optional<std::string> nearest;
  int smallest = static_cast<int>(word.size() + 2) / 3 + 1;
  for (std::string_view candidate : candidates) {
    const int distance = EditDistance(word, candidate);
    if (distance >= smallest) continue;
    smallest = distance;
    nearest = candidate;
  }
  return nearest;
}

}  // namespace hyperpp::config

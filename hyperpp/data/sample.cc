#include "hyperpp/data/sample.h"

#include <algorithm>

namespace hyperpp::data {

int64_t Sample::NumLabels() const {
  return static_cast<int64_t>(labels.size()) - std::count(labels.begin(), labels.end(), kNoLabel);
}

}  // namespace hyperpp::data

// What one training sequence is, independent of where it comes from and of the layout that reads
// it.
//
// `labels[i]` is the token that position i must predict (already shifted), or kNoLabel. With a
// document mask, `document_starts[i]` is the index of the first token of position i's document
// inside this sample; attention and rotary positions restart there. Without one it is 0 everywhere:
//
//     tokens            a  b  E | c  d          E: end of document
//     labels            b  E  -   d  e          - : kNoLabel, the label that crosses the boundary
//     document_starts   0  0  0   3  3
#pragma once

#include <cstdint>
#include <vector>

namespace hyperpp::data {

inline constexpr int32_t kNoLabel = -100;

struct Sample {
  std::vector<int32_t> tokens;
  std::vector<int32_t> labels;
  std::vector<int32_t> document_starts;

  int64_t length() const { return static_cast<int64_t>(tokens.size()); }
  int64_t NumLabels() const;
};

}  // namespace hyperpp::data

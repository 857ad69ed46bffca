// Integer division that rounds up, and the multiples it leads to.
#pragma once

#include <cstdint>

namespace hyperpp {

/// How many pieces of `piece` cover `size`. REQUIRES: size >= 0, piece > 0.
constexpr int64_t CeilDivide(int64_t size, int64_t piece) { return (size + piece - 1) / piece; }

/// The smallest multiple of `multiple` that is at least `size`. REQUIRES: as CeilDivide.
constexpr int64_t RoundUp(int64_t size, int64_t multiple) {
  return CeilDivide(size, multiple) * multiple;
}

}  // namespace hyperpp

#include "hyperpp/data/token_scan.h"

#include <algorithm>
#include <limits>
#include <type_traits>

namespace hyperpp::data {
namespace {

// Tokens between two looks at the result: long enough to vectorise, short enough to stop early.
constexpr int64_t kBlock = 4096;

// The first index where `is_hit` holds, or -1.
template <typename T, typename Predicate>
int64_t FindFirst(TokenView tokens, Predicate is_hit) {
  const int64_t size = tokens.size();
  for (int64_t begin = 0; begin < size; begin += kBlock) {
    const int64_t end = std::min(size, begin + kBlock);
    bool any = false;
    for (int64_t i = begin; i < end; ++i) any |= is_hit(LoadAt<T>(tokens.bytes, i));
    if (!any) continue;
    for (int64_t i = begin; i < end; ++i)
      if (is_hit(LoadAt<T>(tokens.bytes, i))) return i;
  }
  return -1;
}

}  // namespace

std::optional<FoundToken> FindOutside(TokenView tokens, int64_t vocab_size) {
  return WithTokenType(tokens.type, [&](auto zero) -> std::optional<FoundToken> {
    using T = decltype(zero);
    using Unsigned = std::make_unsigned_t<T>;
    // As unsigned numbers, negative ids are above every valid one: one comparison does both ends.
    const auto largest = static_cast<uint64_t>(std::numeric_limits<T>::max());
    if (std::is_unsigned_v<T> && static_cast<uint64_t>(vocab_size) > largest) return std::nullopt;
    const auto limit =
        static_cast<Unsigned>(std::min(static_cast<uint64_t>(vocab_size), largest + 1));
    const int64_t offset =
        FindFirst<T>(tokens, [limit](T id) { return static_cast<Unsigned>(id) >= limit; });
    if (offset < 0) return std::nullopt;
    return FoundToken{offset, static_cast<int64_t>(LoadAt<T>(tokens.bytes, offset))};
  });
}

bool Contains(TokenView tokens, int64_t id) {
  return WithTokenType(tokens.type, [&](auto zero) {
    using T = decltype(zero);
    const T wanted = static_cast<T>(id);
    if (static_cast<int64_t>(wanted) != id) return false;
    return FindFirst<T>(tokens, [wanted](T value) { return value == wanted; }) >= 0;
  });
}

TokenRange RangeOf(TokenView tokens) {
  return WithTokenType(tokens.type, [&](auto zero) {
    using T = decltype(zero);
    T smallest = LoadAt<T>(tokens.bytes, 0), largest = smallest;
    for (int64_t i = 1; i < tokens.size(); ++i) {
      smallest = std::min(smallest, LoadAt<T>(tokens.bytes, i));
      largest = std::max(largest, LoadAt<T>(tokens.bytes, i));
    }
    return TokenRange{static_cast<int64_t>(smallest), static_cast<int64_t>(largest)};
  });
}

}  // namespace hyperpp::data

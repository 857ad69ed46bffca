// Whole-file questions about tokens: is every id in the vocabulary, does an id occur, which range
// is used. Each is one pass whose inner loop compares in the width of the stored type, so that the
// compiler vectorises it and a check before the first step costs what reading the file costs.
#pragma once

#include <cstdint>
#include <optional>

#include "hyperpp/data/token_type.h"

namespace hyperpp::data {

struct FoundToken {
  int64_t offset = 0;  // in tokens
  int64_t id = 0;
};

struct TokenRange {
  int64_t smallest = 0;
  int64_t largest = 0;
};

/// Finds the first token outside 0 .. vocab_size - 1.
std::optional<FoundToken> FindOutside(TokenView tokens, int64_t vocab_size);
/// Whether `id` occurs.
bool Contains(TokenView tokens, int64_t id);
/// Smallest and largest id. REQUIRES: at least one token.
TokenRange RangeOf(TokenView tokens);

}  // namespace hyperpp::data

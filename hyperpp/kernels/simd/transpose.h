// Transposes of matrices of 32-bit words in registers. Included by simd sources only.
//
// A tile of kLanes x kLanes words is transposed by log2(kLanes) perfect shuffles of its rows: in
// each round rows i and i + kLanes/2 are interleaved into rows 2i and 2i + 1.
//
//     a0 a1     interleave     a0 b0
//     b0 b1     --------->     a1 b1
#pragma once

#include "hyperpp/kernels/simd/vector.h"

namespace hyperpp::kernels::HYPERPP_BUILD {

inline Words LoadWords(const uint32_t* from) {
  Words words;
  __builtin_memcpy(&words, from, sizeof(words));
  return words;
}

inline void StoreWords(uint32_t* to, Words words) { __builtin_memcpy(to, &words, sizeof(words)); }

inline Words InterleaveLow(Words a, Words b) {
#if defined(__AVX512F__)
  return __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
#elif defined(__AVX2__)
  return __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11);
#else
  return __builtin_shufflevector(a, b, 0, 4, 1, 5);
#endif
}

inline Words InterleaveHigh(Words a, Words b) {
#if defined(__AVX512F__)
  return __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15,
                                 31);
#elif defined(__AVX2__)
  return __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15);
#else
  return __builtin_shufflevector(a, b, 2, 6, 3, 7);
#endif
}

/// Transposes the tile in place.
inline void TransposeTile(Words (&tile)[kLanes]) {
  for (int width = 1; width < kLanes; width *= 2) {
    Words next[kLanes];
    for (int i = 0; i < kLanes / 2; ++i) {
      next[2 * i] = InterleaveLow(tile[i], tile[i + kLanes / 2]);
      next[2 * i + 1] = InterleaveHigh(tile[i], tile[i + kLanes / 2]);
    }
    for (int i = 0; i < kLanes; ++i) tile[i] = next[i];
  }
}

/// Calls store(row, column, words) for each vector of the transpose of `from`, a matrix of
/// [num_rows][num_columns] words, both multiples of kLanes: `words` holds elements
/// [column, column + kLanes) of row `row` of the transpose.
template <typename StoreVector>
inline void TransposeWords(const uint32_t* from, int64_t stride, int64_t num_rows,
                           int64_t num_columns, StoreVector store) {
  for (int64_t row = 0; row < num_rows; row += kLanes) {
    for (int64_t column = 0; column < num_columns; column += kLanes) {
      Words tile[kLanes];
      for (int i = 0; i < kLanes; ++i) tile[i] = LoadWords(from + (row + i) * stride + column);
      TransposeTile(tile);
      for (int i = 0; i < kLanes; ++i) store(column + i, row, tile[i]);
    }
  }
}

}  // namespace hyperpp::kernels::HYPERPP_BUILD

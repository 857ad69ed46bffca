// How the blocks of attention lie in memory, and the moves between tensors and blocks, built per
// instruction set.
//
// Attention works on blocks of kAttentionBlock tokens (rows) and a head dim padded to kDimMultiple.
// Each block is an operand of a matrix product C = A B, with elements E (fp32, or bf16 where the
// CPU multiplies it fast):
//
//     A, from rows       [token][dim]                 loaded with zeros as padding
//     A, transposed      [dim][token]
//     B, paired rows     bf16: [token / 2][dim][2]    fp32: [token][dim]
//     B, columns         bf16: [dim / 2][token][2]    fp32: [dim][token]
//
// bf16 products want pairs along the summed dim of B side by side (VNNI). Results are fp32.
// Unused tokens of a block are not touched: the products run over the tokens in use, rounded up to
// kTokenMultiple.
#pragma once

#include <cstdint>

#include "hyperpp/kernels/simd/builds.h"

namespace hyperpp::kernels {

inline constexpr int64_t kAttentionBlock = 64;
inline constexpr int64_t kTokenMultiple = 16;
inline constexpr int64_t kDimMultiple = 32;

/// Rows of one head in a tensor, `stride` elements apart.
struct HeadRows {
  const void* data;
  int64_t stride;
  int64_t num_rows, head_dim;
};

struct MutableHeadRows {
  void* data;
  int64_t stride;
  int64_t num_rows, head_dim;
};

/// For one pair of tensor dtype and block element. `padded_dim` is a multiple of kDimMultiple,
/// num_tokens of kTokenMultiple; both as defined above.
struct AttentionLayout {
  void (*load_rows)(const HeadRows& from, int64_t num_tokens, int64_t padded_dim, void* to);
  void (*load_paired_rows)(const HeadRows& from, int64_t num_tokens, int64_t padded_dim, void* to);

  /// `rows` as load_rows wrote them.
  void (*columns)(const void* rows, int64_t num_tokens, int64_t padded_dim, void* to);
  void (*transposed)(const void* rows, int64_t num_tokens, int64_t padded_dim, void* to);

  /// to[t][d] = from[t][d] * factor, `from` with rows of padded_dim.
  void (*store_rows)(const float* from, int64_t padded_dim, float factor,
                     const MutableHeadRows& to);
  /// to[t][d] = from[d][t] * factors[t], `from` [padded_dim][kAttentionBlock].
  void (*store_columns)(const float* from, const float* factors, const MutableHeadRows& to);

  /// out[t] = sum over d of a[t][d] * b[t][d].
  void (*row_dots)(const HeadRows& a, const HeadRows& b, float* out);
};

HYPERPP_DECLARE_BUILDS(AttentionLayout, kAttentionLayoutFp32);
HYPERPP_DECLARE_BUILDS(AttentionLayout, kAttentionLayoutBf16);
HYPERPP_DECLARE_BUILDS(AttentionLayout, kAttentionLayoutBf16AsFp32);

}  // namespace hyperpp::kernels

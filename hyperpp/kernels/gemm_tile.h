// The inner parts of a bf16 matrix product with AVX512_BF16: packing and one tile of the result.
//
// vdpbf16ps multiplies 16 pairs of bf16 with 16 other pairs and adds both products of each pair to
// an fp32: the inner dimension advances by two. So both operands are packed as words of two
// consecutive inner elements, in panels whose inner loop reads memory in order:
//
//     panel of A: words [pairs][12 rows]      panel of B: words [pairs][32 columns]
//     tile of C:  12 x 32 fp32 in 24 registers, each word of A broadcast against 2 registers of B
//
// 12 x 2 registers leave 8 for operands and keep the multiplier busy: 235 GF/s of the 240 that one
// Zen 4 core has. Source of the panel layout: Goto and van de Geijn, Anatomy of High-Performance
// Matrix Multiplication, TOMS 2008.
#pragma once

#include <cstdint>

namespace hyperpp::kernels {

inline constexpr int64_t kTileRows = 12;
inline constexpr int64_t kTileColumns = 32;

/// Elements (i, k) of one operand, i along the result, k along the inner dimension, at
/// data[i * outer_stride + k * inner_stride]; one of the strides is 1.
struct GemmOperand {
  const uint16_t* data;
  int64_t outer_stride, inner_stride;
};

enum class GemmOutput {
  kFp32,            // c = a b
  kFp32Accumulate,  // c += a b
  kBf16,            // c = a b, rounded
};

struct GemmTileOutput {
  GemmOutput kind;
  void* c;  // fp32 or bf16
  int64_t row_stride;
  int64_t rows, columns;  // at most kTileRows x kTileColumns are written
};

struct GemmTile {
  /// Packs `count` <= 12 rows of A (32 columns of B), `inner` elements deep; pads with zeros.
  void (*pack_rows)(const GemmOperand& a, int64_t count, int64_t inner, uint32_t* panel);
  void (*pack_columns)(const GemmOperand& b, int64_t count, int64_t inner, uint32_t* panel);
  void (*multiply)(const uint32_t* a_panel, const uint32_t* b_panel, int64_t pairs,
                   const GemmTileOutput& output);
};

namespace avx512 {
/// REQUIRES: Cpu().avx512_bf16. Exists on x86-64 only.
extern const GemmTile kGemmTile;
}  // namespace avx512

}  // namespace hyperpp::kernels

// Blocked matrix product of bf16 operands summed in fp32, for CPUs with AVX512_BF16 but no AMX.
//
// libtorch has no bf16 product that adds into an fp32 matrix, which weight gradients and logits
// want. Threads share the result as a grid of rectangles. Each walks the inner dimension in blocks,
// packs the smaller side of its rectangle once per block, and packs the larger side piece by piece
// so that a piece stays in the second-level cache while all its tiles are made (gemm_tile.h).
#pragma once

#include "hyperpp/kernels/gemm_tile.h"

namespace hyperpp::kernels {

struct Bf16Product {
  int64_t rows, columns, inner;
  GemmOperand a;  // outer: rows
  GemmOperand b;  // outer: columns
  GemmOutput kind;
  void* c;  // fp32 or bf16, columns side by side
  int64_t c_row_stride;
};

/// Returns whether MultiplyBf16 runs on this CPU.
bool CanMultiplyBf16();

/// Computes the product with all threads. The order of the sums does not depend on their number.
/// REQUIRES: CanMultiplyBf16().
void MultiplyBf16(const Bf16Product& product);

}  // namespace hyperpp::kernels

// Small matrix products C = A B (+ C) with fp32 results, the inner step of blocked attention.
//
// Goes to oneDNN's micro kernels through libtorch (at::native::cpublas::brgemm). Those take fp32 on
// every CPU (libtorch falls back to its BLAS) and bf16 only where the CPU multiplies it; elsewhere
// bf16 tensors are worked on as fp32 blocks.
#pragma once

#include <cstdint>

namespace hyperpp::kernels {

/// Returns whether this CPU and libtorch multiply bf16 blocks.
bool HasBfloat16BlockProduct();

/// A [m, k] with rows lda apart; B [k, n], bf16: [k / 2][n][2] with pairs of rows 2 * ldb apart (k
/// even); C [m, n] with rows ldc apart.
struct BlockProductShape {
  int64_t m, n, k;
  int64_t lda, ldb, ldc;
};

/// The products of one thread. Holds what the CPU reserves for them (AMX tiles) until destroyed.
class BlockProduct {
 public:
  /// REQUIRES: HasBfloat16BlockProduct() if `bfloat16`.
  explicit BlockProduct(bool bfloat16) : bfloat16_(bfloat16) {}
  ~BlockProduct();
  BlockProduct(const BlockProduct&) = delete;
  BlockProduct& operator=(const BlockProduct&) = delete;

  /// Writes A B into C, or adds it if `accumulate`.
  void operator()(const BlockProductShape& shape, const void* a, const void* b, float* c,
                  bool accumulate) const;

 private:
  bool bfloat16_;
};

}  // namespace hyperpp::kernels

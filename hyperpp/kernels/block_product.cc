#include "hyperpp/kernels/block_product.h"

#include <exception>
#include <vector>

#include <ATen/native/CPUBlas.h>

namespace hyperpp::kernels {
namespace {

// libtorch does not say beforehand which CPUs its bf16 kernels accept: it throws.
bool TryBfloat16() {
  constexpr int64_t kSize = 16;
  const std::vector<at::BFloat16> ones(kSize * kSize, at::BFloat16(1.0f));
  std::vector<float> product(kSize * kSize);
  try {
    const BlockProduct multiply(true);
    multiply({kSize, kSize, kSize, kSize, kSize, kSize}, ones.data(), ones.data(), product.data(),
             false);
  } catch (const std::exception&) {
    return false;
  }
  return product[0] == static_cast<float>(kSize);
}

}  // namespace

bool HasBfloat16BlockProduct() {
  static const bool available = TryBfloat16();
  return available;
}

BlockProduct::~BlockProduct() { at::native::cpublas::brgemm_release(bfloat16_); }

void BlockProduct::operator()(const BlockProductShape& shape, const void* a, const void* b,
                              float* c, bool accumulate) const {
  if (bfloat16_) {
    at::native::cpublas::brgemm(shape.m, shape.n, shape.k, shape.lda, shape.ldb, shape.ldc,
                                accumulate, static_cast<const at::BFloat16*>(a),
                                static_cast<const at::BFloat16*>(b), c, true);
  } else {
    at::native::cpublas::brgemm(shape.m, shape.n, shape.k, shape.lda, shape.ldb, shape.ldc,
                                accumulate, static_cast<const float*>(a),
                                static_cast<const float*>(b), c, false);
  }
}

}  // namespace hyperpp::kernels

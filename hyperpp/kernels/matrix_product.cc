#include "hyperpp/kernels/matrix_product.h"

#include <algorithm>

#include <ATen/ops/addmm.h>
#include <ATen/ops/bmm.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/mm.h>

#include "hyperpp/core/error.h"
#include "hyperpp/kernels/cpu_features.h"
#include "hyperpp/kernels/gemm_bf16.h"

// Part of MKL, linked into x86 builds of libtorch; null elsewhere.
extern "C" __attribute__((weak)) void cblas_gemm_bf16bf16f32(int layout, int transpose_a,
                                                             int transpose_b, int m, int n, int k,
                                                             float alpha, const uint16_t* a,
                                                             int lda, const uint16_t* b, int ldb,
                                                             float beta, float* c, int ldc);

namespace hyperpp::kernels {
namespace {

constexpr int kRowMajor = 101, kAsStored = 111, kTransposed = 112;

// A 2-D tensor with one unit stride; strides of dims of size 1 mean nothing.
struct Operand {
  at::Tensor tensor;
  int64_t row_stride, column_stride;

  explicit Operand(const at::Tensor& given) : tensor(given) {
    if (Stride(0) != 1 && Stride(1) != 1) tensor = tensor.contiguous();
    row_stride = Stride(0);
    column_stride = Stride(1);
  }
  int64_t Stride(int64_t dim) const { return tensor.size(dim) == 1 ? 1 : tensor.stride(dim); }
  const uint16_t* Data() const { return static_cast<const uint16_t*>(tensor.const_data_ptr()); }
  int Transpose() const { return column_stride == 1 ? kAsStored : kTransposed; }
  // A row stride of 1 may come from a single row, which BLAS wants as long as the row.
  int LeadingDim() const {
    return static_cast<int>(column_stride == 1 ? std::max(row_stride, tensor.size(1))
                                               : std::max(column_stride, tensor.size(0)));
  }
};

void MultiplyWithMkl(const at::Tensor& out, const Operand& a, const Operand& b, bool accumulate) {
  cblas_gemm_bf16bf16f32(kRowMajor, a.Transpose(), b.Transpose(), static_cast<int>(out.size(0)),
                         static_cast<int>(out.size(1)), static_cast<int>(a.tensor.size(1)), 1,
                         a.Data(), a.LeadingDim(), b.Data(), b.LeadingDim(), accumulate ? 1.f : 0.f,
                         out.mutable_data_ptr<float>(),
                         static_cast<int>(std::max(out.stride(0), out.size(1))));
}

void MultiplyWithOwn(const at::Tensor& out, const Operand& a, const Operand& b, GemmOutput kind) {
  MultiplyBf16({out.size(0),
                out.size(1),
                a.tensor.size(1),
                {a.Data(), a.row_stride, a.column_stride},
                {b.Data(), b.column_stride, b.row_stride},
                kind,
                out.mutable_data_ptr(),
                out.stride(0)});
}

// Only CUDA has products of bf16 with an fp32 result.
void MultiplyOnGpu(at::Tensor& out, const at::Tensor& a, const at::Tensor& b, bool accumulate) {
  if (accumulate)
    out.add_(at::mm(a, b, at::kFloat));
  else
    at::mm_out(out, a, b, at::kFloat);
}

void CheckShapes(const at::Tensor& out, const at::Tensor& a, const at::Tensor& b) {
  HYPERPP_CHECK(a.dim() == 2 && b.dim() == 2 && out.dim() == 2, "dims {}, {}, {}", a.dim(), b.dim(),
                out.dim());
  HYPERPP_CHECK_EQ(a.size(1), b.size(0), "inner size of a product");
  HYPERPP_CHECK_EQ(a.size(0), out.size(0), "rows of a product");
  HYPERPP_CHECK_EQ(b.size(1), out.size(1), "columns of a product");
  HYPERPP_CHECK(out.scalar_type() == at::kFloat, "result of a product is not fp32");
  HYPERPP_CHECK(a.scalar_type() == b.scalar_type(), "operands of a product differ in dtype");
}

}  // namespace

ProductMethod ChooseProductMethod(const at::Tensor& a) {
  if (a.scalar_type() != at::kBFloat16) return ProductMethod::kAten;
  if (!a.is_cpu()) return ProductMethod::kGpuBf16;
  if (Cpu().amx_bf16 && cblas_gemm_bf16bf16f32 != nullptr) return ProductMethod::kMkl;
  return CanMultiplyBf16() ? ProductMethod::kAvx512Bf16 : ProductMethod::kConverted;
}

void MultiplyIntoFp32(at::Tensor out, const at::Tensor& a, const at::Tensor& b, bool accumulate) {
  MultiplyIntoFp32(out, a, b, accumulate, ChooseProductMethod(a));
}

void MultiplyIntoFp32(at::Tensor out, const at::Tensor& a, const at::Tensor& b, bool accumulate,
                      ProductMethod method) {
  CheckShapes(out, a, b);
  if (out.numel() == 0) return;
  if (a.size(1) == 0) {
    if (!accumulate) out.zero_();
    return;
  }
  HYPERPP_CHECK(out.size(1) == 1 || out.stride(1) == 1, "rows of the result have gaps");
  switch (method) {
    case ProductMethod::kMkl:
      return MultiplyWithMkl(out, Operand(a), Operand(b), accumulate);
    case ProductMethod::kAvx512Bf16:
      return MultiplyWithOwn(out, Operand(a), Operand(b),
                             accumulate ? GemmOutput::kFp32Accumulate : GemmOutput::kFp32);
    case ProductMethod::kGpuBf16:
      return MultiplyOnGpu(out, a, b, accumulate);
    case ProductMethod::kAten:
    case ProductMethod::kConverted:
      at::addmm_out(out, out, a.to(at::kFloat), b.to(at::kFloat), accumulate ? 1 : 0);
  }
}

at::Tensor Multiply(const at::Tensor& a, const at::Tensor& b) {
  // Sums stay in registers over the whole inner dimension, so packed panels grow with it. Up to
  // 2048 this is 1.02 times as fast as ATen on Zen 4, with few rows (T = 37) 3 times; beyond,
  // slower.
  constexpr int64_t kMaxInner = 2048;
  const bool own = ChooseProductMethod(a) == ProductMethod::kAvx512Bf16 && a.size(1) <= kMaxInner &&
                   a.size(1) > 0;
  if (!own) return at::mm(a, b);
  HYPERPP_CHECK_EQ(a.size(1), b.size(0), "inner size of a product");
  HYPERPP_CHECK(b.scalar_type() == at::kBFloat16, "operands of a product differ in dtype");
  at::Tensor out = at::empty({a.size(0), b.size(1)}, a.options());
  if (out.numel() > 0) MultiplyWithOwn(out, Operand(a), Operand(b), GemmOutput::kBf16);
  return out;
}

at::Tensor MultiplyBatchToFp32(const at::Tensor& a, const at::Tensor& b) {
  if (ChooseProductMethod(a) == ProductMethod::kGpuBf16) return at::bmm(a, b, at::kFloat);
  return at::bmm(a.to(at::kFloat), b.to(at::kFloat));
}

}  // namespace hyperpp::kernels

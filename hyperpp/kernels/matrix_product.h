// Matrix products whose result is fp32, set or added to: the one place that chooses how.
//
//     fp32                      ATen's addmm (MKL or OpenBLAS sgemm on a CPU, cuBLAS on a GPU)
//     bf16, GPU                 ATen's mm with an fp32 result (cuBLAS), then added
//     bf16, AMX                 MKL's cblas_gemm_bf16bf16f32, if this libtorch exports it
//     bf16, AVX512_BF16         MultiplyBf16 (gemm_bf16.h); MKL reaches a third of it on Zen 4
//     bf16, other CPUs          operands converted to fp32, then sgemm
//
// bf16 operands are summed in fp32 on every path.
#pragma once

#include <ATen/core/Tensor.h>

namespace hyperpp::kernels {

enum class ProductMethod { kAten, kGpuBf16, kMkl, kAvx512Bf16, kConverted };

/// Returns the method for operands like `a` on this machine.
ProductMethod ChooseProductMethod(const at::Tensor& a);

/// Computes out = a b, or out += a b. Shapes: a [M, K], b [K, N], equal dtype, any strides;
/// out [M, N] fp32, rows with unit stride.
void MultiplyIntoFp32(at::Tensor out, const at::Tensor& a, const at::Tensor& b, bool accumulate);

/// The same by a given method.
void MultiplyIntoFp32(at::Tensor out, const at::Tensor& a, const at::Tensor& b, bool accumulate,
                      ProductMethod method);

/// Returns a b in the dtype of the operands, rounded once from fp32.
at::Tensor Multiply(const at::Tensor& a, const at::Tensor& b);

/// Returns the products of matching matrices in fp32, for attention in ATen operations. Shapes:
/// a [Z, M, K], b [Z, K, N], equal dtype, any strides; result [Z, M, N].
at::Tensor MultiplyBatchToFp32(const at::Tensor& a, const at::Tensor& b);

}  // namespace hyperpp::kernels

// What the CPU and the operating system allow, asked once with cpuid.
//
// libtorch's own capability ("AVX512") says nothing of bf16 or AMX. A feature counts only if the
// operating system saves its registers as well (XCR0). On other architectures every flag is false,
// and the plain builds of the kernels are used.
//
// Source: Intel SDM volume 2, CPUID leaf 7; volume 1, section 13.3 (XCR0).
#pragma once

#include <string>

namespace hyperpp::kernels {

struct CpuFeatures {
  bool avx2 = false;         // with FMA and F16C
  bool avx512 = false;       // F, BW, VL and DQ
  bool avx512_bf16 = false;  // dot products and conversions of bf16
  bool amx_bf16 = false;     // tile products of bf16
};

/// Returns the features of the CPU this process runs on.
const CpuFeatures& Cpu();

/// Returns the features as words, e.g. "avx2 avx512 avx512_bf16"; "none" if there are none.
std::string CpuFeatureNames();

/// Returns whether matrix products of bf16 are faster than those of fp32.
bool HasFastBfloat16();

}  // namespace hyperpp::kernels

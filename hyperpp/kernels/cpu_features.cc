#include "hyperpp/kernels/cpu_features.h"

#include <cstdint>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace hyperpp::kernels {
namespace {

#if defined(__x86_64__)

bool Bit(uint32_t word, int index) { return ((word >> index) & 1u) != 0; }

// Which register states the operating system saves. REQUIRES: CPUID.1:ECX.OSXSAVE.
uint64_t ReadXcr0() {
  uint32_t low = 0, high = 0;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (uint64_t{high} << 32) | low;
}

CpuFeatures Detect() {
  CpuFeatures features;
  uint32_t eax = 0, ebx = 0, ecx = 0, edx = 0;
  if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx)) return features;
  const bool fma = Bit(ecx, 12), os_saves_state = Bit(ecx, 27), f16c = Bit(ecx, 29);
  if (!os_saves_state) return features;
  const uint64_t saved = ReadXcr0();
  const auto saves = [&](uint64_t states) { return (saved & states) == states; };
  constexpr uint64_t kYmm = 0x6, kZmm = 0xe6, kTiles = 0x60000;

  if (!__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx)) return features;
  const uint32_t num_subleaves = eax;
  features.avx2 = saves(kYmm) && fma && f16c && Bit(ebx, 5);
  features.avx512 =
      features.avx2 && saves(kZmm) && Bit(ebx, 16) && Bit(ebx, 17) && Bit(ebx, 30) && Bit(ebx, 31);
  features.amx_bf16 = features.avx512 && saves(kTiles) && Bit(edx, 22) && Bit(edx, 24);
  if (num_subleaves >= 1 && __get_cpuid_count(7, 1, &eax, &ebx, &ecx, &edx))
    features.avx512_bf16 = features.avx512 && Bit(eax, 5);
  return features;
}

#else

CpuFeatures Detect() { return {}; }

#endif

}  // namespace

const CpuFeatures& Cpu() {
  static const CpuFeatures features = Detect();
  return features;
}

std::string CpuFeatureNames() {
  std::string names;
  const auto add = [&](bool present, const char* name) {
    if (present) names.append(names.empty() ? "" : " ").append(name);
  };
  add(Cpu().avx2, "avx2");
  add(Cpu().avx512, "avx512");
  add(Cpu().avx512_bf16, "avx512_bf16");
  add(Cpu().amx_bf16, "amx_bf16");
  return names.empty() ? "none" : names;
}

bool HasFastBfloat16() { return Cpu().amx_bf16 || Cpu().avx512_bf16; }

}  // namespace hyperpp::kernels

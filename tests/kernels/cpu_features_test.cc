#include "hyperpp/kernels/cpu_features.h"

#include <gmock/gmock.h>

namespace hyperpp::kernels {
namespace {

TEST(CpuFeaturesTest, WiderFeaturesImplyNarrowerOnes) {
  const CpuFeatures& cpu = Cpu();
  if (cpu.avx512) EXPECT_TRUE(cpu.avx2);
  if (cpu.avx512_bf16) EXPECT_TRUE(cpu.avx512);
  if (cpu.amx_bf16) EXPECT_TRUE(cpu.avx512);
}

TEST(CpuFeaturesTest, AgreesWithTheCompilersRuntime) {
#if defined(__x86_64__)
  __builtin_cpu_init();
  EXPECT_EQ(Cpu().avx2, __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"));
  EXPECT_EQ(Cpu().avx512, __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl"));
#endif
  EXPECT_EQ(HasFastBfloat16(), Cpu().avx512_bf16 || Cpu().amx_bf16);
}

TEST(CpuFeaturesTest, NamesEveryFeature) {
  if (Cpu().avx512) EXPECT_THAT(CpuFeatureNames(), testing::HasSubstr("avx2 avx512"));
  EXPECT_NE(CpuFeatureNames(), "");
}

}  // namespace
}  // namespace hyperpp::kernels

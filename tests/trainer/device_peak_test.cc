#include "hyperpp/trainer/device_peak.h"

#include <gtest/gtest.h>

namespace hyperpp::trainer {
namespace {

TEST(DevicePeakTest, VariantsOfAProductDiffer) {
  EXPECT_EQ(PeakBfloat16Flops("NVIDIA H100 80GB HBM3"), 989.4e12);
  EXPECT_EQ(PeakBfloat16Flops("NVIDIA H100 PCIe"), 756.5e12);
  EXPECT_EQ(PeakBfloat16Flops("NVIDIA A100-SXM4-40GB"), 312e12);
}

TEST(DevicePeakTest, NamesThatAreNotListedHaveNoPeak) {
  for (const char* name : {"", "cpu", "NVIDIA H100", "NVIDIA A100-SXM4-40GB MIG 1g.5gb",
                           "NVIDIA GeForce RTX 4090 Laptop GPU", "NVIDIA GeForce RTX 4090 D"})
    EXPECT_FALSE(PeakBfloat16Flops(name).has_value()) << name;
}

}  // namespace
}  // namespace hyperpp::trainer

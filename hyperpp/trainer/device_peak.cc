#include "hyperpp/trainer/device_peak.h"

namespace hyperpp::trainer {
namespace {

struct DevicePeak {
  std::string_view name;
  double bfloat16_teraflops;  // products of bf16 summed in fp32, dense
};

// Sources: NVIDIA's datasheet of each product; for workstation and GeForce cards, the white papers
// of their architectures (GA102, Ada, RTX Blackwell). Where a rate is given with 2:4 sparsity, half
// of it stands here.
constexpr DevicePeak kPeaks[] = {
    {"NVIDIA B300 SXM6 AC", 2250},  // DGX B300: 36 PFLOP/s sparse on 8 GPUs
    {"NVIDIA B200", 2250},          // DGX B200: 36 PFLOP/s sparse on 8 GPUs
    {"NVIDIA GB200", 2500},         // GB200 NVL72: 360 PFLOP/s sparse on 72 GPUs
    {"NVIDIA H200", 989.4},         // 1979 sparse
    {"NVIDIA H200 NVL", 835.5},     // 1671 sparse
    {"NVIDIA GH200 480GB", 989.4},
    {"NVIDIA GH200 144G HBM3e", 989.4},
    {"NVIDIA H100 80GB HBM3", 989.4},  // SXM5
    {"NVIDIA H100 NVL", 835.5},
    {"NVIDIA H100 PCIe", 756.5},  // 1513 sparse
    {"NVIDIA H800", 989.4},

    {"NVIDIA A100-SXM4-80GB", 312},
    {"NVIDIA A100-SXM4-40GB", 312},
    {"NVIDIA A100 80GB PCIe", 312},
    {"NVIDIA A100-PCIE-40GB", 312},
    {"NVIDIA A800-SXM4-80GB", 312},
    {"NVIDIA A800 80GB PCIe", 312},
    {"NVIDIA A30", 165},
    {"NVIDIA A40", 149.7},
    {"NVIDIA A10", 125},
    {"NVIDIA L40S", 362},
    {"NVIDIA L40", 181},
    {"NVIDIA L4", 121},  // 242 sparse

    {"NVIDIA RTX 6000 Ada Generation", 364.2},
    {"NVIDIA RTX A6000", 154.8},
    {"NVIDIA GeForce RTX 5090", 209.5},
    {"NVIDIA GeForce RTX 4090", 165.2},
    {"NVIDIA GeForce RTX 3090 Ti", 80},
    {"NVIDIA GeForce RTX 3090", 71},
};

}  // namespace

std::optional<double> PeakBfloat16Flops(std::string_view name) {
  for (const DevicePeak& peak : kPeaks) {
    if (peak.name == name) return peak.bfloat16_teraflops * 1e12;
  }
  return std::nullopt;
}

}  // namespace hyperpp::trainer

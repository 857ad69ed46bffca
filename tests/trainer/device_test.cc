#include "hyperpp/trainer/device.h"

#include <gmock/gmock.h>

#include "hyperpp/core/error.h"

namespace hyperpp::trainer {
namespace {

using config::Backend;
using config::DeviceType;
using testing::HasSubstr;
using testing::ThrowsMessage;

config::AcceleratorSection Wants(DeviceType device, Backend backend = Backend::kAuto) {
  config::AcceleratorSection accelerator;
  accelerator.device = device;
  accelerator.backend = backend;
  return accelerator;
}

TEST(DeviceTest, AutoIsAGpuWhereThereIsOne) {
  EXPECT_EQ(DeviceOfRank(Wants(DeviceType::kAuto), 0, 2, 0), at::Device(at::kCPU));
  EXPECT_EQ(DeviceOfRank(Wants(DeviceType::kAuto), 1, 2, 2), at::Device(at::kCUDA, 1));
  EXPECT_EQ(DeviceOfRank(Wants(DeviceType::kCpu), 1, 2, 2), at::Device(at::kCPU));
}

TEST(DeviceTest, CudaWithoutAGpuIsRefused) {
  EXPECT_THAT([] { DeviceOfRank(Wants(DeviceType::kCuda), 0, 1, 0); },
              ThrowsMessage<ConfigError>(HasSubstr("accelerator.device: cuda")));
}

TEST(DeviceTest, MoreRanksThanGpusAreRefusedWithNccl) {
  EXPECT_THAT(
      [] { DeviceOfRank(Wants(DeviceType::kAuto), 0, 4, 2); },
      ThrowsMessage<ConfigError>(HasSubstr("4 ranks on this machine, but libtorch sees 2")));
  EXPECT_EQ(DeviceOfRank(Wants(DeviceType::kCuda, Backend::kGloo), 3, 4, 2),
            at::Device(at::kCUDA, 1));
}

TEST(DeviceTest, CpuHasNoKnownPeakAndUsesTheThreadsAskedFor) {
  config::Config config;
  config.accelerator = Wants(DeviceType::kCpu);
  config.accelerator.threads_per_rank = 3;
  config.precision.compute_dtype = config::ComputeDType::kBFloat16;
  const RunDevice device = ChooseDevice(config, 0, 1);
  EXPECT_FALSE(device.peak_flops.has_value());
  EXPECT_EQ(device.description, "cpu, 3 threads, bfloat16 compute");
}

}  // namespace
}  // namespace hyperpp::trainer

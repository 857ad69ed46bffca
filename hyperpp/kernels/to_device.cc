#include "hyperpp/kernels/to_device.h"

namespace hyperpp::kernels {

at::Tensor ToDevice(const at::Tensor& host, at::Device device) {
  if (!host.is_cpu() || device.is_cpu()) return host.to(device);
  return host.pin_memory().to(device, host.scalar_type(), /*non_blocking=*/true);
}

}  // namespace hyperpp::kernels

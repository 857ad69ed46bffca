#include "hyperpp/comm/gloo_backend.h"

#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>

namespace hyperpp::comm {

struct GlooBackends::Device {
  std::shared_ptr<gloo::transport::Device> device;
};

GlooBackends::GlooBackends(const std::string& address, std::chrono::milliseconds timeout)
    : device_(std::make_unique<Device>(
          Device{c10d::ProcessGroupGloo::createDeviceForHostname(address)})),
      timeout_(timeout) {}

GlooBackends::~GlooBackends() = default;

BackendPtr GlooBackends::Connect(const c10::intrusive_ptr<c10d::Store>& store, int rank,
                                 int num_ranks) {
  auto options = c10d::ProcessGroupGloo::Options::create(timeout_);
  options->devices.push_back(device_->device);
  options->threads = 1;
  return c10::make_intrusive<c10d::ProcessGroupGloo>(store, rank, num_ranks, std::move(options));
}

}  // namespace hyperpp::comm

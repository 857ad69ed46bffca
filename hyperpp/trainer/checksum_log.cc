#include "hyperpp/trainer/checksum_log.h"

#include <utility>
#include <vector>

#include <ATen/ops/empty.h>
#include <ATen/ops/stack.h>

#include "hyperpp/core/error.h"
#include "hyperpp/kernels/checksum.h"

namespace hyperpp::trainer {
namespace {

at::Tensor Stack(const std::vector<at::Tensor>& hashes) {
  return hashes.empty() ? at::empty({0}, at::kLong) : at::stack(hashes);
}

nlohmann::json Named(const std::vector<models::Weight*>& weights, const at::Tensor& hashes) {
  const at::Tensor host = hashes.cpu();
  nlohmann::json json = nlohmann::json::object();
  for (std::size_t i = 0; i < weights.size(); ++i)
    json[weights[i]->fqn()] =
        fmt::format("{:016x}", static_cast<uint64_t>(host.const_data_ptr<int64_t>()[i]));
  return json;
}

}  // namespace

ChecksumLog::ChecksumLog(const std::string& path, const models::ParameterStore& store,
                         int64_t last_step)
    : store_(store), log_(path, last_step) {}

void ChecksumLog::TakeGradients(int64_t step) {
  std::vector<at::Tensor> hashes;
  for (const models::Weight* weight : store_.TrainableWeights())
    hashes.push_back(kernels::Checksum(weight->owned_gradient()));
  now_ = {step, Stack(hashes), {}};
}

void ChecksumLog::TakeWeights() {
  std::vector<at::Tensor> hashes;
  for (const models::Weight* weight : store_.weights())
    hashes.push_back(kernels::Checksum(weight->parameter().detach()));
  now_.weights = Stack(hashes);
  Finish();
  before_ = std::move(now_);
}

void ChecksumLog::Finish() {
  if (!before_) return;
  log_.Write({{"step", before_->step},
              {"gradients", Named(store_.TrainableWeights(), before_->gradients)},
              {"weights", Named(store_.weights(), before_->weights)}});
  before_.reset();
}

}  // namespace hyperpp::trainer

#include "hyperpp/models/parameter_store.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>

#include "hyperpp/core/error.h"
#include "hyperpp/kernels/optimizer_step.h"

namespace hyperpp::models {
namespace {

constexpr int64_t kAlignment = 32;  // elements: 64 bytes of bf16

}  // namespace

ParameterStore::ParameterStore(std::vector<Weight*> weights, at::Device device,
                               at::ScalarType compute_dtype, bool with_gradients)
    : weights_(std::move(weights)), compute_dtype_(compute_dtype) {
  int64_t size = 0;
  for (const Weight* weight : weights_) {
    offsets_.push_back(size);
    size += (weight->parameter().numel() + kAlignment - 1) / kAlignment * kAlignment;
  }
  offsets_.push_back(size);
  const auto fp32 = at::TensorOptions().device(device).dtype(at::kFloat);
  parameters_ = at::empty({size}, fp32);
  if (with_gradients) gradients_ = at::zeros({size}, fp32);
  const bool casts = compute_dtype != at::kFloat;
  if (casts) compute_ = at::empty({size}, fp32.dtype(compute_dtype));
  for (std::size_t i = 0; i < weights_.size(); ++i) {
    Weight& weight = *weights_[i];
    const auto piece = [&](const at::Tensor& flat) {
      return flat.narrow(0, offsets_[i], weight.parameter().numel())
          .view(weight.parameter().sizes());
    };
    const bool has_copy = casts && weight.use() == WeightUse::kMatrix;
    const bool has_gradient = with_gradients && weight.trainable();
    weight.Materialise(piece(parameters_), has_copy ? piece(compute_) : at::Tensor(),
                       has_gradient ? piece(gradients_) : at::Tensor());
  }
}

std::vector<Weight*> ParameterStore::TrainableWeights() const {
  std::vector<Weight*> trainable;
  std::copy_if(weights_.begin(), weights_.end(), std::back_inserter(trainable),
               [](const Weight* weight) { return weight->trainable(); });
  return trainable;
}

void ParameterStore::ZeroGradients() { gradients_.zero_(); }

void ParameterStore::CastParameters() {
  if (!compute_.defined()) return;
  for (const Weight* weight : weights_) {
    if (weight->use() == WeightUse::kMatrix)
      kernels::CastInto(weight->compute(), weight->parameter().detach());
  }
}

at::Tensor ParameterStore::GradientRange(std::size_t first, std::size_t last) const {
  HYPERPP_CHECK(first <= last && last <= weights_.size(), "weights {} to {} of {}", first, last,
                weights_.size());
  return gradients_.narrow(0, offsets_[first], offsets_[last] - offsets_[first]);
}

}  // namespace hyperpp::models

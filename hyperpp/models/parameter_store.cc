#include "hyperpp/models/parameter_store.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>

#include "hyperpp/core/error.h"
#include "hyperpp/core/round_up.h"
#include "hyperpp/kernels/optimizer_step.h"

namespace hyperpp::models {
namespace {

constexpr int64_t kAlignment = 32;  // elements: 64 bytes of bf16

at::ScalarType DtypeOf(const Weight& weight, at::ScalarType compute_dtype) {
  return weight.use() == WeightUse::kMatrix ? compute_dtype : at::kFloat;
}

// Lays `weights` out one after the other, and pads for `count` equal shards.
ShardUnit LayOut(std::vector<Weight*> weights, at::ScalarType compute_dtype, int count) {
  ShardUnit unit;
  for (const Weight* weight : weights) {
    unit.offsets.push_back(unit.numel);
    unit.numel += RoundUp(weight->local_numel(), kAlignment);
  }
  unit.weights = std::move(weights);
  unit.numel = RoundUp(unit.numel, kAlignment * count);
  unit.shard_numel = unit.numel / count;
  unit.compute_dtype = compute_dtype;
  return unit;
}

// Weights of one list by the dtype that kernels read, matrices first.
std::vector<ShardUnit> UnitsOf(const std::vector<Weight*>& list, at::ScalarType compute_dtype,
                               int count) {
  std::vector<ShardUnit> units;
  std::vector<at::ScalarType> dtypes = {compute_dtype};
  if (compute_dtype != at::kFloat) dtypes.push_back(at::kFloat);
  for (const at::ScalarType dtype : dtypes) {
    std::vector<Weight*> weights;
    std::copy_if(list.begin(), list.end(), std::back_inserter(weights),
                 [&](const Weight* weight) { return DtypeOf(*weight, compute_dtype) == dtype; });
    if (!weights.empty()) units.push_back(LayOut(std::move(weights), dtype, count));
  }
  return units;
}

// Gives each weight of the unit the elements that lie in shard `index`.
void MaterialiseShards(const ShardUnit& unit, int index) {
  const int64_t begin = index * unit.shard_numel, end = begin + unit.shard_numel;
  const bool casts = unit.compute_dtype != at::kFloat;
  for (std::size_t i = 0; i < unit.weights.size(); ++i) {
    Weight& weight = *unit.weights[i];
    const int64_t offset = unit.offsets[i], size = weight.local_numel();
    const int64_t first = std::clamp<int64_t>(begin - offset, 0, size);
    const int64_t last = std::clamp<int64_t>(end - offset, 0, size);
    const int64_t place = std::clamp<int64_t>(offset + first - begin, 0, unit.shard_numel);
    const auto piece = [&](const at::Tensor& flat) {
      return flat.defined() ? flat.narrow(0, place, last - first) : at::Tensor();
    };
    weight.MaterialiseShard({piece(unit.parameters), casts ? piece(unit.compute) : at::Tensor(),
                             weight.trainable() ? piece(unit.gradients) : at::Tensor()},
                            first);
  }
}

}  // namespace

ParameterStore::ParameterStore(std::vector<Weight*> weights, at::Device device,
                               at::ScalarType compute_dtype, bool with_gradients)
    : weights_(std::move(weights)), compute_dtype_(compute_dtype) {
  int64_t size = 0;
  for (const Weight* weight : weights_) {
    offsets_.push_back(size);
    size += RoundUp(weight->local_numel(), kAlignment);
  }
  offsets_.push_back(size);
  Allocate(size, device, with_gradients);
  for (std::size_t i = 0; i < weights_.size(); ++i) {
    Weight& weight = *weights_[i];
    const auto piece = [&](const at::Tensor& flat) {
      return flat.narrow(0, offsets_[i], weight.local_numel()).view(weight.local_shape());
    };
    const bool has_copy = compute_.defined() && weight.use() == WeightUse::kMatrix;
    const bool has_gradient = with_gradients && weight.trainable();
    weight.Materialise({piece(parameters_), has_copy ? piece(compute_) : at::Tensor(),
                        has_gradient ? piece(gradients_) : at::Tensor()});
  }
}

ParameterStore::ParameterStore(const std::vector<std::vector<Weight*>>& units, int index, int count,
                               at::Device device, at::ScalarType compute_dtype, bool with_gradients)
    : compute_dtype_(compute_dtype) {
  int64_t size = 0;
  for (const std::vector<Weight*>& list : units) {
    weights_.insert(weights_.end(), list.begin(), list.end());
    units_of_list_.emplace_back();
    for (ShardUnit& unit : UnitsOf(list, compute_dtype, count)) {
      units_of_list_.back().push_back(units_.size());
      size += unit.shard_numel;
      units_.push_back(std::move(unit));
    }
  }
  Allocate(size, device, with_gradients);
  int64_t begin = 0;
  for (ShardUnit& unit : units_) {
    const auto piece = [&](const at::Tensor& flat) {
      return flat.defined() ? flat.narrow(0, begin, unit.shard_numel) : at::Tensor();
    };
    unit.parameters = piece(parameters_);
    unit.gradients = piece(gradients_);
    unit.compute = unit.compute_dtype == at::kFloat ? unit.parameters : piece(compute_);
    unit.parameters.zero_();  // padding is gathered and cast, so it must be finite
    MaterialiseShards(unit, index);
    begin += unit.shard_numel;
  }
}

void ParameterStore::Allocate(int64_t size, at::Device device, bool with_gradients) {
  const auto fp32 = at::TensorOptions().device(device).dtype(at::kFloat);
  parameters_ = at::empty({size}, fp32);
  if (with_gradients) gradients_ = at::zeros({size}, fp32);
  if (compute_dtype_ != at::kFloat) compute_ = at::zeros({size}, fp32.dtype(compute_dtype_));
}

std::vector<Weight*> ParameterStore::TrainableWeights() const {
  std::vector<Weight*> trainable;
  std::copy_if(weights_.begin(), weights_.end(), std::back_inserter(trainable),
               [](const Weight* weight) { return weight->trainable(); });
  return trainable;
}

void ParameterStore::ZeroGradients() { gradients_.zero_(); }

void ParameterStore::CastParameters() {
  for (const Weight* weight : weights_) {
    if (weight->owned_compute().defined())
      kernels::CastInto(weight->owned_compute(), weight->parameter().detach());
  }
}

at::Tensor ParameterStore::GradientRange(std::size_t first, std::size_t last) const {
  HYPERPP_CHECK(units_.empty(), "a range of weights of a sharded store");
  HYPERPP_CHECK(first <= last && last <= weights_.size(), "weights {} to {} of {}", first, last,
                weights_.size());
  return gradients_.narrow(0, offsets_[first], offsets_[last] - offsets_[first]);
}

}  // namespace hyperpp::models

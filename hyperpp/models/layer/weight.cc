#include "hyperpp/models/layer/weight.h"

#include <ATen/ops/empty.h>
#include <c10/util/accumulate.h>

#include "hyperpp/core/error.h"
#include "hyperpp/meta/materialise.h"

namespace hyperpp::models {
namespace {

at::Tensor OnMeta(const std::vector<int64_t>& shape) {
  return at::empty(shape, at::TensorOptions().device(at::kMeta).dtype(at::kFloat));
}

}  // namespace

Weight::Weight(std::vector<int64_t> shape, WeightUse use)
    : full_shape_(std::move(shape)),
      local_shape_(full_shape_),
      local_offsets_(full_shape_.size(), 0),
      parameter_(OnMeta(full_shape_)),
      use_(use) {
  parameter_.requires_grad_(true);
}

int64_t Weight::local_numel() const { return c10::multiply_integers(local_shape_); }

void Weight::KeepPart(int64_t dim, int64_t index, int64_t count) {
  HYPERPP_CHECK(parameter_.is_meta(), "{} is split after it got memory", fqn_);
  int64_t& size = local_shape_.at(static_cast<std::size_t>(dim));
  HYPERPP_CHECK_EQ(size % count, 0, "dim {} of {}: {} in {} parts", dim, fqn_, size, count);
  size /= count;
  local_offsets_[static_cast<std::size_t>(dim)] += index * size;
  parameter_.set_data(OnMeta(local_shape_));
}

void Weight::set_trainable(bool trainable) { parameter_.requires_grad_(trainable); }

void Weight::Materialise(const OwnedMemory& memory) {
  HYPERPP_CHECK(memory.parameter.sizes() == at::IntArrayRef(local_shape_),
                "memory of {} has {} elements", fqn_, memory.parameter.numel());
  meta::Rehome(parameter_, memory.parameter);
  owned_ = memory;
  compute_ = memory.compute.defined() ? memory.compute : parameter_.detach();
  gradient_ = memory.gradient;
}

void Weight::MaterialiseShard(const OwnedMemory& memory, int64_t first) {
  HYPERPP_CHECK(first >= 0 && first + memory.parameter.numel() <= local_numel(),
                "elements {} to {} of {} with {}", first, first + memory.parameter.numel(), fqn_,
                local_numel());
  sharded_ = true;
  owned_first_ = first;
  owned_ = memory;
  meta::Rehome(parameter_, memory.parameter);
}

}  // namespace hyperpp::models

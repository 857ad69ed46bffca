#include "hyperpp/models/layer/weight.h"

#include <ATen/ops/empty.h>

#include "hyperpp/core/error.h"

namespace hyperpp::models {
namespace {

// Moves a leaf from the meta device to real memory and keeps the TensorImpl, so that the module's
// dictionary, a tied owner and the graph's accumulator all go on naming the same parameter.
void Rehome(const at::Tensor& leaf, const at::Tensor& memory) {
  at::Tensor handle = leaf;
  if (handle.device().type() != memory.device().type())
    handle.unsafeGetTensorImpl()->_change_backend_component_keys(memory.device());
  handle.set_data(memory);
}

}  // namespace

Weight::Weight(std::vector<int64_t> shape, WeightUse use)
    : parameter_(at::empty(shape, at::TensorOptions().device(at::kMeta).dtype(at::kFloat))),
      use_(use) {
  parameter_.requires_grad_(true);
}

void Weight::set_trainable(bool trainable) { parameter_.requires_grad_(trainable); }

void Weight::Materialise(const at::Tensor& parameter, const at::Tensor& compute,
                         const at::Tensor& gradient) {
  HYPERPP_CHECK(parameter.sizes() == parameter_.sizes(), "memory of {} has {} elements", fqn_,
                parameter.numel());
  Rehome(parameter_, parameter);
  compute_ = compute.defined() ? compute : parameter_.detach();
  gradient_ = gradient;
}

}  // namespace hyperpp::models

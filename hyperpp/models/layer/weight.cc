#include "hyperpp/models/layer/weight.h"

#include <ATen/ops/empty.h>

#include "hyperpp/core/error.h"
#include "hyperpp/meta/materialise.h"

namespace hyperpp::models {
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
  meta::Rehome(parameter_, parameter);
  compute_ = compute.defined() ? compute : parameter_.detach();
  gradient_ = gradient;
}

}  // namespace hyperpp::models

#include "hyperpp/models/layer/activation.h"

#include <utility>

#include <ATen/core/grad_mode.h>

namespace hyperpp::models {

at::Tensor Remake::Take() {
  if (!value_.defined()) {
    const at::NoGradGuard no_grad;
    value_ = make_();
  }
  at::Tensor value = value_;
  if (++num_taken_ == num_takes_) {
    num_taken_ = 0;
    value_.reset();
  }
  return value;
}

void DeferredWork::Run() {
  for (const auto& work : std::exchange(pending_, {})) work();
}

std::function<at::Tensor()> Activation::Keep() const {
  if (remake) return [remake = remake] { return remake->Take(); };
  return [kept = value.detach()] { return kept; };
}

}  // namespace hyperpp::models

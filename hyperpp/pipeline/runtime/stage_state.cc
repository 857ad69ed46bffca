#include "hyperpp/pipeline/runtime/stage_state.h"

#include <algorithm>

#include <ATen/ops/empty.h>
#include <fmt/ranges.h>

#include "hyperpp/core/error.h"

namespace hyperpp::pipeline {

StageState::StageState(const StateSpec& spec, const std::vector<at::Tensor>& values) {
  HYPERPP_CHECK_EQ(spec.size(), values.size(), "tensors of a stage boundary");
  for (std::size_t i = 0; i < spec.size(); ++i) tensors_.emplace_back(spec[i].name, values[i]);
}

void StageState::Set(const std::string& name, at::Tensor value) {
  const auto found = std::find_if(tensors_.begin(), tensors_.end(),
                                  [&](const auto& tensor) { return tensor.first == name; });
  if (found == tensors_.end())
    tensors_.emplace_back(name, std::move(value));
  else
    found->second = std::move(value);
}

const at::Tensor& StageState::operator[](const std::string& name) const {
  std::vector<std::string> names;
  for (const auto& [known, value] : tensors_) {
    if (known == name) return value;
    names.push_back(known);
  }
  throw InternalError(
      fmt::format("stage state: no tensor {}, there are [{}]; declare it in the "
                  "model's BoundaryState",
                  name, fmt::join(names, ", ")));
}

void CheckAgainst(const TensorSpec& spec, const at::Tensor& value, const std::string& what) {
  const auto fail = [&](const std::string& fact) {
    throw InternalError(fmt::format("{} {}; make it as BoundaryState declares it", what, fact));
  };
  if (!value.defined()) fail("is undefined");
  if (value.sizes() != at::IntArrayRef(spec.shape))
    fail(fmt::format("is [{}], expected [{}]", fmt::join(value.sizes(), ", "),
                     fmt::join(spec.shape, ", ")));
  if (value.scalar_type() != spec.dtype)
    fail(fmt::format("is {}, expected {}", c10::toString(value.scalar_type()),
                     c10::toString(spec.dtype)));
}

std::vector<at::Tensor> StageState::InOrderOf(const StateSpec& spec) const {
  std::vector<at::Tensor> values;
  for (const TensorSpec& tensor : spec) {
    const at::Tensor& value = (*this)[tensor.name];
    CheckAgainst(tensor, value, "stage output " + tensor.name);
    values.push_back(value);
  }
  return values;
}

std::vector<at::Tensor> EmptyTensors(const StateSpec& spec, bool gradients, at::Device device) {
  std::vector<at::Tensor> tensors;
  for (const TensorSpec& tensor : spec) {
    if (gradients && !tensor.differentiable) continue;
    tensors.push_back(
        at::empty(tensor.shape, at::TensorOptions().dtype(tensor.dtype).device(device)));
  }
  return tensors;
}

}  // namespace hyperpp::pipeline

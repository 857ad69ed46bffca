// What crosses a stage boundary: named tensors of any dtype and rank, differentiable or not.
//
// Most models hand on the hidden states alone. A model declares its own state without touching the
// runtime: one spec says which tensors a microbatch sends over a boundary, and both sides derive it
// from the same keywords, so that a receiver knows every size before the message comes. Gradients
// travel back for the differentiable ones only. Masks, ids and positions are no state: each rank
// has them already.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <ATen/core/Tensor.h>

namespace hyperpp::pipeline {

/// One tensor of a boundary.
struct TensorSpec {
  std::string name;
  std::vector<int64_t> shape;
  at::ScalarType dtype = at::kFloat;
  bool differentiable = true;
};

/// All tensors of a boundary, in the order in which they are sent.
using StateSpec = std::vector<TensorSpec>;

/// Tensors of a boundary by name, in the order of its spec.
class StageState {
 public:
  StageState() = default;
  StageState(std::initializer_list<std::pair<std::string, at::Tensor>> tensors)
      : tensors_(tensors) {}
  /// `values` in the order of `spec`.
  StageState(const StateSpec& spec, const std::vector<at::Tensor>& values);

  void Set(const std::string& name, at::Tensor value);
  /// Errors: InternalError if there is no such tensor, naming those there are.
  const at::Tensor& operator[](const std::string& name) const;
  bool empty() const { return tensors_.empty(); }

  /// The tensors in the order of `spec`.
  /// Errors: InternalError if one is missing, undefined, or has another shape or dtype than `spec`
  ///         says, with both.
  std::vector<at::Tensor> InOrderOf(const StateSpec& spec) const;

 private:
  std::vector<std::pair<std::string, at::Tensor>> tensors_;
};

/// Checks `value` against `spec`; `what` names it in the message.
/// Errors: InternalError with both shapes or dtypes.
void CheckAgainst(const TensorSpec& spec, const at::Tensor& value, const std::string& what);

/// Uninitialised tensors for `spec`; only the differentiable ones if `gradients`.
std::vector<at::Tensor> EmptyTensors(const StateSpec& spec, bool gradients, at::Device device);

}  // namespace hyperpp::pipeline

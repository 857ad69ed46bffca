// One trainable tensor as a layer uses it.
//
// Three tensors belong to a weight, and only the first is a parameter of the module:
//
//     parameter   fp32, what the optimizer updates, under the Hugging Face name
//     compute     what kernels read: the parameter itself, or its bf16 copy, made once per step
//     gradient    fp32 accumulator over microbatches, a view into a flat buffer
//
// They start on the meta device, without memory, and get it from a ParameterStore. Sharded data
// parallelism will give `compute` and `gradient` the full shape while `parameter` is a shard.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

namespace hyperpp::models {

/// What kernels want to read.
enum class WeightUse {
  kMatrix,  // compute dtype: operands of matrix products, their biases
  kGain,    // always fp32: norm gains, which kernels apply in fp32
};

class Weight {
 public:
  Weight(std::vector<int64_t> shape, WeightUse use);
  Weight(const Weight&) = delete;
  Weight& operator=(const Weight&) = delete;

  /// The leaf that the module registers; fp32, on the meta device until materialised.
  const at::Tensor& parameter() const { return parameter_; }
  const at::Tensor& compute() const { return compute_; }
  const at::Tensor& gradient() const { return gradient_; }
  WeightUse use() const { return use_; }

  /// Full name in the model; set when the model is complete.
  const std::string& fqn() const { return fqn_; }
  void set_fqn(std::string fqn) { fqn_ = std::move(fqn); }

  bool trainable() const { return parameter_.requires_grad(); }
  /// Freezes or frees the weight. REQUIRES: before Materialise.
  void set_trainable(bool trainable);

  /// Number of places on this rank that add to the gradient (2 for tied embeddings on one rank).
  int num_uses() const { return num_uses_; }
  void set_num_uses(int num_uses) { num_uses_ = num_uses; }

  /// Gives the weight its memory: `parameter` fp32; `compute` in the compute dtype, or undefined to
  /// read the parameter itself; `gradient` fp32, or undefined if frozen. Shapes: those of the
  /// weight.
  void Materialise(const at::Tensor& parameter, const at::Tensor& compute,
                   const at::Tensor& gradient);

  /// Called by layers each time their part of this backward has been added to the gradient.
  void GradientAdded() const {
    if (observer_) observer_();
  }
  void set_gradient_observer(std::function<void()> observer) { observer_ = std::move(observer); }

 private:
  at::Tensor parameter_, compute_, gradient_;
  WeightUse use_;
  std::string fqn_;
  int num_uses_ = 1;
  std::function<void()> observer_;
};

}  // namespace hyperpp::models

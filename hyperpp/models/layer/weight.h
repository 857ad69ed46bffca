// One trainable tensor as a layer uses it.
//
// A weight has the shape of the full model, and this rank works with a part of it, in two cuts:
//
//     full_shape   [96, 32]    the tensor as checkpoints and Hugging Face name it
//     local box    [48, 32]    what the layer computes with: a part along one dim (tensor parallel)
//     owned range  768..1535   of the flattened local box: what this rank stores, updates and saves
//                              (fully sharded); all of the box without sharding
//
// Its memory is in up to five tensors:
//
//     parameter        fp32, owned; what the optimizer updates, the module's leaf
//     owned_gradient   fp32, owned; what the optimizer reads
//     owned_compute    owned, compute dtype; what a gather sends; undefined if the parameter serves
//     compute          local box; what kernels read
//     gradient         local box, fp32; what kernels add into, over microbatches
//
// Without sharding the last two are the same memory as the owned ones. With it they are lent for
// the time of a use. All start on the meta device, without memory.
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

/// Memory of the elements of a weight that a rank owns.
struct OwnedMemory {
  at::Tensor parameter;  // fp32
  at::Tensor compute;    // in the compute dtype; undefined: kernels read the parameter itself
  at::Tensor gradient;   // fp32; undefined for a frozen weight, or without training
};

class Weight {
 public:
  Weight(std::vector<int64_t> shape, WeightUse use);
  Weight(const Weight&) = delete;
  Weight& operator=(const Weight&) = delete;

  /// Full name in the model; set when the model is complete.
  const std::string& fqn() const { return fqn_; }
  void set_fqn(std::string fqn) { fqn_ = std::move(fqn); }
  WeightUse use() const { return use_; }

  const std::vector<int64_t>& full_shape() const { return full_shape_; }
  const std::vector<int64_t>& local_shape() const { return local_shape_; }
  /// Where the local box starts in the full tensor.
  const std::vector<int64_t>& local_offsets() const { return local_offsets_; }
  int64_t local_numel() const;
  /// Whether the local box is less than the full tensor.
  bool IsSplit() const { return local_shape_ != full_shape_; }
  /// Makes the local box the part `index` of `count` equal ones along `dim`.
  /// REQUIRES: on the meta device. Errors: InternalError if `count` does not divide the dim.
  void KeepPart(int64_t dim, int64_t index, int64_t count);

  /// The owned elements are [owned_first, owned_first + parameter().numel()) of the flattened box.
  int64_t owned_first() const { return owned_first_; }
  bool IsSharded() const { return sharded_; }

  const at::Tensor& parameter() const { return parameter_; }
  const at::Tensor& owned_gradient() const { return owned_.gradient; }
  const at::Tensor& owned_compute() const { return owned_.compute; }
  const at::Tensor& compute() const { return compute_; }
  const at::Tensor& gradient() const { return gradient_; }

  bool trainable() const { return parameter_.requires_grad(); }
  /// Freezes or frees the weight. REQUIRES: before memory is given.
  void set_trainable(bool trainable);

  /// Number of places on this rank that add to the gradient (2 for tied embeddings on one rank).
  int num_uses() const { return num_uses_; }
  void set_num_uses(int num_uses) { num_uses_ = num_uses; }

  /// Gives an unsharded weight its memory; tensors have the shape of the local box.
  void Materialise(const OwnedMemory& memory);
  /// Gives a sharded weight memory for the elements from `first` on; tensors are 1-D and may be
  /// empty. Kernels may read and write it only while memory is lent.
  void MaterialiseShard(const OwnedMemory& memory, int64_t first);
  /// Lends memory for kernels to a sharded weight, or takes it back (undefined tensors).
  void LendCompute(at::Tensor compute) { compute_ = std::move(compute); }
  void LendGradient(at::Tensor gradient) { gradient_ = std::move(gradient); }

  /// Called by layers each time their part of this backward has been added to the gradient.
  void GradientAdded() const {
    if (observer_) observer_();
  }
  void set_gradient_observer(std::function<void()> observer) { observer_ = std::move(observer); }

 private:
  std::vector<int64_t> full_shape_, local_shape_, local_offsets_;
  at::Tensor parameter_, compute_, gradient_;
  OwnedMemory owned_;
  int64_t owned_first_ = 0;
  bool sharded_ = false;
  WeightUse use_;
  std::string fqn_;
  int num_uses_ = 1;
  std::function<void()> observer_;
};

}  // namespace hyperpp::models

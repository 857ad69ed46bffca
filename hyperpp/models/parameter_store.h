// The memory of a model's weights: flat buffers, and the weights as views into them.
//
//     parameters  fp32   | embed | q | k | ... | norm |   each weight starts on a 64-byte boundary
//     gradients   fp32   | embed | q | k | ... | norm |
//     compute     bf16   | embed | q | k | ...        |   of matrices; absent in fp32 training
//
// Unsharded, weights lie in the order of the model, so that a run of consecutive weights is one
// contiguous piece of the gradient buffer: what gradient reduction sends without copying.
//
// Sharded over D ranks, weights are laid out in units that are gathered together. A unit is padded
// to D equal shards, cut wherever that falls in a weight, and the buffers above hold this rank's
// shard of each unit:
//
//     unit (whole)      | q      | k   | v   | o        |pad|
//     shards, D = 3     |-----0-----|-----1-----|-----2-----|
//
// A gather then yields whole weights without any copying, and weights of any size can be sharded.
#pragma once

#include <vector>

#include <ATen/core/Tensor.h>

#include "hyperpp/models/layer/weight.h"

namespace hyperpp::models {

/// Weights that are gathered and reduced together.
struct ShardUnit {
  std::vector<Weight*> weights;
  std::vector<int64_t> offsets;  // of each weight in the whole unit, in elements
  int64_t numel = 0;             // of the whole unit, padding included
  int64_t shard_numel = 0;       // numel / number of shards
  at::ScalarType compute_dtype = at::kFloat;

  // This rank's shard, filled in by the store.
  at::Tensor parameters, gradients;  // fp32
  at::Tensor compute;                // what a gather sends: `parameters`, or a copy in bf16
};

class ParameterStore {
 public:
  /// Materialises `weights` whole on `device`. `with_gradients`: false for evaluation and
  /// generation.
  ParameterStore(std::vector<Weight*> weights, at::Device device, at::ScalarType compute_dtype,
                 bool with_gradients);

  /// Materialises shard `index` of `count` of the weights of each unit. `units`: lists of weights,
  /// each of which becomes one unit, or two where its matrices and gains are computed in different
  /// dtypes.
  ParameterStore(const std::vector<std::vector<Weight*>>& units, int index, int count,
                 at::Device device, at::ScalarType compute_dtype, bool with_gradients);

  const std::vector<Weight*>& weights() const { return weights_; }
  std::vector<Weight*> TrainableWeights() const;
  at::ScalarType compute_dtype() const { return compute_dtype_; }
  at::Device device() const { return parameters_.device(); }
  /// Of a sharded store, in order; each list of the constructor's one after the other.
  const std::vector<ShardUnit>& units() const { return units_; }
  /// For each list of the constructor, which of units() it became.
  const std::vector<std::vector<std::size_t>>& units_of_list() const { return units_of_list_; }

  /// Sets all owned gradients to zero.
  void ZeroGradients();
  /// Makes the compute copies from the parameters; the optimizer keeps them up to date afterwards.
  void CastParameters();
  /// The owned gradients of all weights as one flat tensor, gaps included.
  const at::Tensor& gradients() const { return gradients_; }
  /// The gradients of weights `first` .. `last` - 1 of weights(), gaps included.
  /// REQUIRES: an unsharded store.
  at::Tensor GradientRange(std::size_t first, std::size_t last) const;

 private:
  void Allocate(int64_t size, at::Device device, bool with_gradients);

  std::vector<Weight*> weights_;
  std::vector<int64_t> offsets_;  // unsharded: of each weight in the flat buffers, and the end
  std::vector<ShardUnit> units_;
  std::vector<std::vector<std::size_t>> units_of_list_;
  at::ScalarType compute_dtype_;
  at::Tensor parameters_, gradients_, compute_;
};

}  // namespace hyperpp::models

// AdamW and SGD over a set of weights, with fp32 master weights and state.
//
// Weight decay is decided by the number of dimensions of the full tensor alone: two or more. A
// frozen weight is not among the weights here and is left alone, decay included. The bf16 compute
// copy of a matrix is written in the same pass over memory.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

#include "hyperpp/config/config.h"
#include "hyperpp/models/layer/weight.h"

namespace hyperpp::optim {

/// One tensor of optimizer state; `kind` is its name in checkpoints (exp_avg, exp_avg_sq,
/// momentum_buffer).
struct StateTensor {
  const models::Weight* weight;
  std::string kind;
  at::Tensor value;  // fp32, laid out like the weight's parameter
};

class Optimizer {
 public:
  virtual ~Optimizer() = default;

  /// Applies the gradients, each first multiplied by `gradient_scale`. `step` counts from 1.
  virtual void Step(int64_t step, double learning_rate, double gradient_scale) = 0;
  /// All state tensors, in a fixed order; writable for resume.
  virtual const std::vector<StateTensor>& state() const = 0;
};

/// Makes the optimizer of `section` for `weights`, which must be materialised with gradients.
std::unique_ptr<Optimizer> MakeOptimizer(const config::OptimizerSection& section,
                                         std::vector<models::Weight*> weights);

/// Kinds of state that the optimizer of `section` keeps for each weight.
std::vector<std::string> StateKinds(const config::OptimizerSection& section);

}  // namespace hyperpp::optim

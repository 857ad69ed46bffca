// Root-mean-square norm with the residual sum before it. Both results stay in the graph: the sum is
// the residual path, so that its gradient is added inside the norm's backward instead of in a pass
// of its own.
#pragma once

#include <utility>

#include "hyperpp/models/layer/activation.h"
#include "hyperpp/models/layer/layer.h"

namespace hyperpp::models {

class RmsNorm : public Layer {
 public:
  RmsNorm(int64_t size, double eps);

  struct Result {
    Activation normed_TH;
    at::Tensor sum_TH;  // x + residual: the residual stream to go on with
  };
  /// Shapes: x_TH, residual_TH [T, H] (or undefined: nothing is added).
  /// `num_remakes`: 0, or the number of linear layers that read the normed value and shall make it
  /// again from the sum instead of keeping it.
  Result forward(const at::Tensor& x_TH, const at::Tensor& residual_TH = {}, int num_remakes = 0);

  const Weight& weight() const { return *weight_; }
  double eps() const { return eps_; }

 private:
  Weight* weight_;
  double eps_;
};

}  // namespace hyperpp::models

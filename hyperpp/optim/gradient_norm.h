// The one global gradient norm: L2 over every parameter of the whole model, each logical parameter
// once.
#pragma once

#include <vector>

#include "hyperpp/core/exact_sum.h"
#include "hyperpp/models/layer/weight.h"

namespace hyperpp::optim {

/// Sum of squares of the owned gradients of `weights`. The square root of the sum over all ranks
/// that own different elements is the norm; it does not depend on who owns which.
ExactSum GradientSumOfSquares(const std::vector<models::Weight*>& weights);

/// Factor that clips a gradient of norm `norm` to `max_norm` (0: no clipping).
/// Source: as torch.nn.utils.clip_grad_norm_: min(1, max_norm / (norm + 1e-6)).
double ClipFactor(double norm, double max_norm);

}  // namespace hyperpp::optim

// The elements of a weight that this rank owns, as boxes of the full tensor: what is loaded,
// initialised, saved and exported.
//
//     local box of a row-split weight, sharded: owned elements are a flat range of it
//         . . . . | . . x x       a part of a row
//         . . . . | x x x x       whole rows
//         . . . . | x . . .       a part of a row
#pragma once

#include <cstdint>
#include <vector>

#include <ATen/core/Tensor.h>

#include "hyperpp/models/layer/weight.h"

namespace hyperpp::trainer {

struct OwnedBox {
  std::vector<int64_t> offsets;  // in the full tensor
  at::Tensor values;             // a view with the shape of the box
};

/// Views of `owned`, which is laid out like the weight's parameter: the parameter itself, its
/// gradient, or a moment.
std::vector<OwnedBox> OwnedBoxes(const models::Weight& weight, const at::Tensor& owned);

}  // namespace hyperpp::trainer

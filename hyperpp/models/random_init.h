// Random values that depend on (seed, parameter name, element index) only, so that every layout
// starts from the same weights and a rank can make just its own part.
//
// Element i of a parameter is a Box-Muller normal made from two uniforms, which are a 64-bit mix of
// the element's index with a key hashed from seed and name.
#pragma once

#include <cstdint>
#include <string>

#include <ATen/core/Tensor.h>

namespace hyperpp::models {

/// Fills `out` (fp32, contiguous) with elements `first` .. `first + numel - 1` of parameter `fqn`,
/// normal with mean 0 and the given standard deviation.
void FillNormal(at::Tensor out, const std::string& fqn, uint64_t seed, int64_t first,
                double deviation);

}  // namespace hyperpp::models

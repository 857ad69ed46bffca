// The peak speed of devices, which model FLOPs utilisation (MFU) is measured against.
//
//     mfu = tokens/s * FLOP/token / (ranks * peak)
//
// A table of names as the driver reports them. A device that is not listed has no known peak, and a
// run on it no mfu: a guessed peak would give a number that means nothing. That holds for CPUs too.
#pragma once

#include <optional>
#include <string_view>

namespace hyperpp::trainer {

/// Returns dense bf16 FLOP/s of the GPU called `name`, or nothing if it is not listed.
std::optional<double> PeakBfloat16Flops(std::string_view name);

}  // namespace hyperpp::trainer

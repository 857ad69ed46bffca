// How many forward passes a rank holds at once.
//
// A pass of a microbatch through a stage is in flight from the start of its forward to the end of
// its backward: for that time its activations are alive. The peak decides the activation memory.
// 1F1B, rank 0 of 3:
//
//     action     F0 F1 F2 B0 F3 B1 B2 B3
//     in flight   1  2  3  3  3  3  2  1
#pragma once

#include <vector>

#include "hyperpp/pipeline/schedule/schedule.h"

namespace hyperpp::pipeline {

/// Returns the largest number of passes in flight during any action of each rank. Several chunks of
/// a rank count separately: one microbatch in two chunks is two passes.
std::vector<int> PeakInFlight(const Schedule& schedule);

}  // namespace hyperpp::pipeline

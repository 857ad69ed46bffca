// Between the order in which collectives see a sequence (rank after rank) and its own order.
//
//     rank order   [C, B, S, ...]   S = L / C tokens of each rank, as the rank keeps them
//     sequence     [B, L, ...]
#pragma once

#include <ATen/core/Tensor.h>

#include "hyperpp/parallel/context/sequence_cut.h"

namespace hyperpp::parallel {

/// Shapes: parts_CBS [C, B, S, ...]; result [B, L, ...], contiguous.
at::Tensor ToSequenceOrder(const at::Tensor& parts_CBS, const SequenceCut& cut);

/// Shapes: whole_BL [B, L, ...]; result [C, B, S, ...], contiguous.
at::Tensor ToRankOrder(const at::Tensor& whole_BL, const SequenceCut& cut);

}  // namespace hyperpp::parallel

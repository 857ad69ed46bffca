// GPipe: every forward pass, then every backward pass.
//
// Four ranks, eight microbatches, forward and backward equally long (F3 on rank 2 is action 2F3):
//
//     rank 0  F0 F1 F2 F3 F4 F5 F6 F7 .  .  .  .  .  .  B7 B6 B5 B4 B3 B2 B1 B0
//     rank 1  .  F0 F1 F2 F3 F4 F5 F6 F7 .  .  .  .  B7 B6 B5 B4 B3 B2 B1 B0 .
//     rank 2  .  .  F0 F1 F2 F3 F4 F5 F6 F7 .  .  B7 B6 B5 B4 B3 B2 B1 B0 .  .
//     rank 3  .  .  .  F0 F1 F2 F3 F4 F5 F6 F7 B7 B6 B5 B4 B3 B2 B1 B0 .  .  .
//
// Each rank waits for p - 1 forward and p - 1 backward passes of its m + m: the bubble is
// (p - 1) / (m + p - 1). All m microbatches are alive at the turn. Backward runs in reverse order,
// as in the paper's figure 2: what was computed last is still in cache and is freed first.
//
// Source: Huang et al., GPipe, arXiv:1811.06965, section 2.3.
#pragma once

#include "hyperpp/pipeline/schedule/schedule.h"

namespace hyperpp::pipeline {

/// Generates the compute actions.
/// Errors: PlanError unless there is one chunk per rank.
Schedule GPipe(const ScheduleShape& shape);

/// Returns how many microbatches `rank` holds at most: all.
int GPipeInFlight(const ScheduleShape& shape, int rank);

}  // namespace hyperpp::pipeline

// 1F1B: as soon as its first backward pass can run, a rank alternates forward and backward.
//
// Four ranks, eight microbatches, forward and backward equally long (F3 on rank 2 is action 2F3):
//
//     rank 0  F0 F1 F2 F3 .  .  .  B0 F4 B1 F5 B2 F6 B3 F7 B4 .  B5 .  B6 .  B7
//     rank 1  .  F0 F1 F2 .  .  B0 F3 B1 F4 B2 F5 B3 F6 B4 F7 B5 .  B6 .  B7 .
//     rank 2  .  .  F0 F1 .  B0 F2 B1 F3 B2 F4 B3 F5 B4 F6 B5 F7 B6 .  B7 .  .
//     rank 3  .  .  .  F0 B0 F1 B1 F2 B2 F3 B3 F4 B4 F5 B5 F6 B6 F7 B7 .  .  .
//             warmup     | steady: one forward, one backward  | cooldown
//
// Rank r of p runs p - 1 - r forward passes ahead (warmup), then pairs (steady), then the remaining
// backward passes (cooldown). The bubble is GPipe's, (p - 1) / (m + p - 1), but rank r holds at
// most p - r microbatches however many there are.
//
// Source: Narayanan et al., PipeDream (SOSP 2019), section 3.2; with one weight version and a
// flush per step as in Narayanan et al., arXiv:2104.04473, section 2.2.1.
#pragma once

#include "hyperpp/pipeline/schedule/schedule.h"

namespace hyperpp::pipeline {

/// Generates the compute actions.
/// Errors: PlanError unless there is one chunk per rank.
Schedule OneFOneB(const ScheduleShape& shape);

/// Returns how many microbatches `rank` holds at most: min(m, p - r).
int OneFOneBInFlight(const ScheduleShape& shape, int rank);

}  // namespace hyperpp::pipeline

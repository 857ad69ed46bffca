// Interleaved 1F1B: each rank holds several chunks of the model, and the bubble shrinks by their
// number.
//
// Four ranks, two chunks, eight microbatches; rank r holds stages r and r + 4 (upper case: chunk
// 1):
//
// GRID
//
// Microbatches go through in rounds. A rank runs the microbatches of a round through its chunk 0,
// then through chunk 1, and so on; backward likewise from the last chunk. With p microbatches in a
// round, the last rank finishes the first one just when rank 0 needs it for the next chunk.
//
//     round = 4   forward   chunk 0: 0 1 2 3   chunk 1: 0 1 2 3   chunk 0: 4 5 6 7   chunk 1: ...
//                 backward  chunk 1: 0 1 2 3   chunk 0: 0 1 2 3   chunk 1: 4 5 6 7   ...
//
// Warmup of rank r: (v - 1) * (first round) + 2 * (p - 1 - r) forward passes: until the first
// microbatch comes back. Then one forward, one backward, as in 1F1B. With m a multiple of p and
// forward and backward equally long the bubble is (p - 1) / (v * m + p - 1); a pass here is 1 / v
// of a pass of 1F1B.
//
// Any m works. There are max(1, m / p) rounds, and m is shared out among them, larger ones first:
// 10 on 4 ranks are rounds of 5 and 5; 11 are 6 and 5; 3 are one round of 3. Rounds of at least p
// keep ranks busy; a round may never be larger than the first, which sets the warmup.
//
// Source: Narayanan et al., arXiv:2104.04473, section 2.2.2; rounds that are not p as in
// torch.distributed.pipelining, ScheduleInterleaved1F1B (which needs them equal).
#pragma once

#include <vector>

#include "hyperpp/pipeline/schedule/schedule.h"

namespace hyperpp::pipeline {

/// Generates the compute actions.
/// Errors: PlanError unless there are at least two chunks per rank.
Schedule Interleaved1F1B(const ScheduleShape& shape);

/// Returns how many passes of a microbatch through a chunk `rank` holds at most: warmup + 1.
int Interleaved1F1BInFlight(const ScheduleShape& shape, int rank);

/// Returns the number of microbatches of each round; they add up to num_microbatches.
std::vector<int> MicrobatchRounds(const ScheduleShape& shape);

}  // namespace hyperpp::pipeline

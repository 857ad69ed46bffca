// Interleaved 1F1B: a rank holds several chunks of the model; the bubble shrinks by their number.
//
// Four ranks, two chunks, eight microbatches, forward and backward equally long; rank r holds
// stages r and r + 4:
//
//             0   1   2   3   4   5   6   7   8   9   10  11  12  13  14  15  16  17  18
//     rank 0  0F0 0F1 0F2 0F3 4F0 4F1 4F2 4F3 0F4 0F5 0F6 4B0 0F7 4B1 .   .   4F4 4B2 4F5
//     rank 1  .   1F0 1F1 1F2 1F3 5F0 5F1 5F2 5F3 1F4 5B0 1F5 5B1 1F6 5B2 1F7 5B3 5F4 1B0
//     rank 2  .   .   2F0 2F1 2F2 2F3 6F0 6F1 6F2 6B0 6F3 6B1 2F4 6B2 2F5 6B3 2F6 2B0 2F7
//     rank 3  .   .   .   3F0 3F1 3F2 3F3 7F0 7B0 7F1 7B1 7F2 7B2 7F3 7B3 3F4 3B0 3F5 3B1
//
//             19  20  21  22  23  24  25  26  27  28  29  30  31  32  33  34  35  36  37
//     rank 0  4B3 4F6 0B0 4F7 0B1 0B2 0B3 .   4B4 .   4B5 .   4B6 .   4B7 0B4 0B5 0B6 0B7
//     rank 1  5F5 1B1 5F6 1B2 5F7 1B3 .   5B4 .   5B5 .   5B6 .   5B7 1B4 1B5 1B6 1B7 .
//     rank 2  2B1 6F4 2B2 6F5 2B3 6F6 6B4 6F7 6B5 .   6B6 .   6B7 2B4 2B5 2B6 2B7 .   .
//     rank 3  3F6 3B2 3F7 3B3 7F4 7B4 7F5 7B5 7F6 7B6 7F7 7B7 3B4 3B5 3B6 3B7 .   .   .
//
// Microbatches go through in rounds. A rank runs the microbatches of a round through its chunk 0,
// then through chunk 1, and so on; backward likewise from the last chunk. With p microbatches in a
// round, the last rank finishes the first one just when rank 0 needs it for the next chunk.
//
//     round = 4   forward   chunk 0: 0 1 2 3   chunk 1: 0 1 2 3   chunk 0: 4 5 6 7   chunk 1: ...
//                 backward  chunk 1: 0 1 2 3   chunk 0: 0 1 2 3   chunk 1: 4 5 6 7   ...
//
// Warmup of rank r: (v - 1) * (first round) + 2 * (p - 1 - r) forward passes: until the first
// microbatch comes back. Then one forward, one backward, as in 1F1B. With m >= p and passes equally
// long the bubble is (p - 1) / (v * m + p - 1); a pass here is 1 / v of a pass of 1F1B.
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

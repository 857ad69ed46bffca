// The moment of a step at which a rank holds most, found by walking its actions.
//
//     1F1B, rank 0 of 2        0F0   0F1   0B0   0F2   0B1   0B2
//     passes kept               1     2     2     2     2     1
//     beside them               f     f     b     f     b     b      f, b: what a pass needs to run
//
// A pass is kept from the start of its forward to the end of its backward pass. A message is there
// from the moment in which its receive offers a buffer: until the forward pass that takes it, which
// keeps it as its input, or to the end of the backward pass. What a forward pass sends is its kept
// output. What a backward pass sends is there until the send is waited for: at once if messages
// block, else when two later ones have been started (pipeline/runtime/stage_transport.h).
#pragma once

#include <cstdint>
#include <map>

#include "hyperpp/pipeline/schedule/schedule.h"
#include "hyperpp/plan/pass_memory.h"

namespace hyperpp::plan {

/// Bytes at the moment at which their sum is largest.
struct StepPeak {
  int64_t kept = 0;       // by passes in flight
  int64_t workspace = 0;  // of the pass that runs
  int64_t messages = 0;

  int64_t TotalBytes() const { return kept + workspace + messages; }
};

/// `actions`: of one rank, in the order in which they are run. `passes`: of that rank's stages.
StepPeak PeakOfStep(const pipeline::RankActions& actions,
                    const std::map<pipeline::StageIndex, PassMemory>& passes,
                    bool messages_overlap);

}  // namespace hyperpp::plan

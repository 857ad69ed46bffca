// What a rank holds in memory, as tensors, before anything is allocated: at the moment of a step at
// which it is most. docs/memory.md compares it with what is measured.
//
//     weights         4 bytes per owned element: fp32 master weights
//     gradients       4 bytes per owned element
//     optimizer       4 bytes per owned trainable element and moment (AdamW 2, SGD with momentum 1)
//     cast/gathered   2 bytes per owned element with bf16 compute; with sharding also the groups
//                     that are whole at once: (1 + prefetch) layers, embedding or head
//     activations     what the passes in flight keep (pass_memory.h), along the schedule
//                     (step_peak.h)
//     workspace       what the pass that runs needs beside, and the tokens of the whole local batch
//     communication   messages between stages; with sharding, whole gradients on their way into
//                     shards: of up to 3 layers and of embedding and head, in a pipeline of all;
//                     the parts that came back; and over Gloo the terms of sums under way
//
// Owned elements are those of weight_units.h, padding included. Other buffers of Gloo or NCCL,
// fragmentation and what is no tensor are left out. `auto` compute counts as float32.
#pragma once

#include <cstdint>
#include <vector>

#include "hyperpp/config/config.h"
#include "hyperpp/core/outline.h"
#include "hyperpp/plan/model_facts.h"
#include "hyperpp/plan/train_plan.h"

namespace hyperpp::plan {

/// Stage passes of pipeline rank `rank` that are alive at once: the schedule's bound, or one.
int InFlightPasses(const TrainPlan& plan, int rank);

/// Estimates the memory of the ranks at each pipeline coordinate. Reads the mesh, the stages, the
/// batch, the schedule and the trainable names of `plan`.
std::vector<MemoryEstimate> EstimateMemory(const config::Config& config,
                                           const ModelOutline& outline, const ModelFacts& facts,
                                           const TrainPlan& plan);

}  // namespace hyperpp::plan

// What a rank will hold in memory, estimated before anything is allocated.
//
// Parameters, gradients and moments are exact up to padding: fp32 each (DESIGN: master weights,
// accumulated gradients, optimizer state), divided by the tensor-parallel degree for matrices, by
// the expert-parallel degree for experts, and by the shard degree. Cast or gathered weights come on
// top. Activations are a rule of thumb for the tensors that a layer keeps for its backward pass,
// per token and in the type of computation:
//
//     residual stream, twice, and two normed copies     4 * hidden_size
//     queries and attention output, keys and values     2 * heads * head_dim + 2 * kv_heads * ...
//     gate, up and their product                        3 * (active) intermediate_size
//
// times the layers of the rank times the microbatches that are in flight at once. Buffers of
// communication, of the head's loss and of the allocator are left out; `auto` compute counts as
// float32. Source: Korthikanti et al., arXiv:2205.05198, section 4, for kernels that keep no
// attention matrix.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hyperpp/config/config.h"
#include "hyperpp/core/mesh_layout.h"
#include "hyperpp/core/outline.h"
#include "hyperpp/plan/model_facts.h"
#include "hyperpp/plan/train_plan.h"

namespace hyperpp::plan {

/// Stage passes of pipeline rank `rank` that are alive at once: the schedule's bound, or one.
int InFlightPasses(const TrainPlan& plan, int rank);

/// Estimates the memory of the ranks at each pipeline coordinate. Reads the mesh, the stages, the
/// batch and the trainable names of `plan`.
std::vector<MemoryEstimate> EstimateMemory(const config::Config& config,
                                           const ModelOutline& outline, const ModelFacts& facts,
                                           const TrainPlan& plan);

}  // namespace hyperpp::plan

// Bytes that a rank sends in a step of training along each axis, as comm::Traffic counts them: the
// larger tensor of a collective operation, and the tensors of sends. Per step, with M microbatches
// of T tokens, A = T * H * bytes of the compute type, L layers on the rank, e and l: 1 if it holds
// the embedding, the head:
//
//     pp             M * A (/ tp with sequence parallelism) per boundary towards each neighbour;
//                    the gradient of a tied embedding, if two ranks hold it
//     dp_replicate   owned gradients, fp32
//     dp_shard       gathered: each group once per forward pass, layers and final norm again per
//                    backward pass (fsdp.reshard_after_forward; else each once); reduced: whole
//                    gradients, fp32, per microbatch, in a pipeline once
//     cp             keys and values K = 2 T m d * bytes of the compute type (m heads of d) per
//     layer
//                    and microbatch: all_gather 2 cp K and cp K in fp32, ring with cp - 1 for cp,
//                    all_to_all queries, keys, values and outputs twice; owned gradients, fp32
//     tp             M A (4 L + e + l), with sequence parallelism twice that; 16 tp bytes per token
//                    of the head; fp32 gradients of norms; what recomputation sends again
//
// docs/fully_sharded.md, docs/tensor_parallel.md and docs/pipeline_runtime.md say where these come
// from. All tokens count as labelled.
#pragma once

#include <vector>

#include "hyperpp/config/config.h"
#include "hyperpp/core/outline.h"
#include "hyperpp/plan/model_facts.h"
#include "hyperpp/plan/train_plan.h"

namespace hyperpp::plan {

/// Traffic of the ranks at each pipeline coordinate. Reads the mesh, the stages, the batch, the
/// schedule and the trainable names of `plan`.
std::vector<TrafficEstimate> EstimateTraffic(const config::Config& config,
                                             const ModelOutline& outline, const ModelFacts& facts,
                                             const TrainPlan& plan);

}  // namespace hyperpp::plan

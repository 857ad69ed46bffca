// What a pass of one microbatch through a stage holds: what its graph keeps from the forward to the
// backward pass, and what is there beside it while one of the two runs.
//
// Kept by a decoder layer, in elements per token of the type of computation (H hidden size, I
// (active) intermediate size, n query and m key/value heads, d head dims of queries and keys, v of
// values; t tensor-parallel degree, s = t with sequence parallelism, else 1):
//
//     residual stream before attention and before the feed-forward part     2 H / s
//     outputs of the two norms, whole for the matrices                      2 H
//     q, k, v, attention output                                             (n + m) (d + v) / t
//     q and k before the rotation, if a norm of heads comes first           (n + m) d / t
//     gate, up and their product                                            3 I / t
//     log-sum-exp of attention, fp32                                        n / t
//
//     selective recomputation    without the norms' outputs and the product
//     full                       the layer's input, H / s
//
// A stage also keeps its output, and the last one the gradient that the head has computed already.
//
// Beside it there are, while the head runs, logits of a chunk of tokens, their gradient (in place
// in fp32) and its product with the weight. While a layer's backward pass runs: gradients of the
// product, gate and up in place of the product itself (2 I / t more than was kept; with selective
// recomputation the product is made again), the gradient of the residual stream, and with full
// recomputation all that the layer keeps otherwise. A backward pass lets go of each layer when it
// is through.
//
// Left out: a few numbers per token (norms' root mean squares), scratch of kernels, copies for
// tokens without a label, and conversions on CPUs that cannot multiply bf16.
// Source: Korthikanti et al., arXiv:2205.05198, section 4, for kernels that keep no attention
// matrix.
#pragma once

#include <cstdint>

#include "hyperpp/config/config.h"
#include "hyperpp/plan/model_facts.h"
#include "hyperpp/plan/train_plan.h"

namespace hyperpp::plan {

/// Bytes of one pass.
struct PassMemory {
  int64_t kept = 0;      // from the start of the forward to the end of the backward pass
  int64_t forward = 0;   // at most beside `kept` while the forward pass runs
  int64_t backward = 0;  // likewise, without the gradient that the stage receives
  int64_t boundary = 0;  // the hidden states that cross a boundary of stages
};

/// What is recomputed of decoder layer `layer`.
config::Recompute RecomputeOf(const config::ActivationSection& activation, int64_t layer);

/// Tokens of a microbatch on one rank.
int64_t TokensOnRank(const TrainPlan& plan);

/// Bytes of a microbatch's hidden states between layers.
int64_t BoundaryBytes(const config::Config& config, const ModelFacts& facts, const TrainPlan& plan);

/// Reads the mesh and the batch of `plan`.
PassMemory MemoryOfPass(const config::Config& config, const ModelFacts& facts,
                        const TrainPlan& plan, const StagePlan& stage);

}  // namespace hyperpp::plan

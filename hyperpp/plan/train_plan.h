// How a run is carried out: everything that follows from configuration and model, before anything
// is built. Made once by MakePlan and not changed afterwards; all ranks make the same one.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "hyperpp/core/mesh_layout.h"
#include "hyperpp/pipeline/planner/stage_split.h"
#include "hyperpp/plan/model_cost.h"

namespace hyperpp::plan {

/// One virtual stage.
struct StagePlan {
  pipeline::StageLayers layers;
  bool is_first = false;  // holds the embedding
  bool is_last = false;   // holds the final norm and the head
  int64_t num_parameters = 0;
  double flops_per_token = 0;  // forward and backward
};

/// How the global batch is cut, in sequences.
struct BatchPlan {
  int64_t global = 0;
  int64_t local = 0;             // of one data-parallel coordinate
  int64_t microbatch = 0;        // of one forward pass
  int64_t num_microbatches = 0;  // per optimizer step
  int64_t sequence_length = 0;
  int64_t tokens_per_step = 0;  // all ranks
};

/// Bytes of one rank when it holds most; memory_estimate.h says what is counted.
struct MemoryEstimate {
  int64_t weights_bytes = 0;
  int64_t gradients_bytes = 0;
  int64_t optimizer_bytes = 0;
  int64_t compute_weights_bytes = 0;  // cast or gathered copies
  int64_t activations_bytes = 0;      // kept from forward to backward passes
  int64_t workspace_bytes = 0;        // of the pass that runs, and the batch
  int64_t communication_bytes = 0;    // messages, and gradients on their way into shards

  int64_t TotalBytes() const {
    return weights_bytes + gradients_bytes + optimizer_bytes + compute_weights_bytes +
           activations_bytes + workspace_bytes + communication_bytes;
  }
};

/// Bytes that one rank sends in a step, by axis; traffic_estimate.h says how they are counted.
struct TrafficEstimate {
  int64_t pipeline_bytes = 0;
  int64_t replicate_bytes = 0;
  int64_t shard_bytes = 0;
  int64_t context_bytes = 0;
  int64_t tensor_bytes = 0;
};

struct TrainPlan {
  MeshLayout mesh;
  BatchPlan batch;
  std::string schedule;     // name; empty without a pipeline
  bool p2p_overlap = true;  // messages travel while ranks compute
  std::vector<StagePlan> stages;
  double bubble_fraction = 0;  // of a pipeline rank's time, with equal stages
  ModelCost cost;
  std::set<std::string> trainable;       // FQNs; the other parameters are frozen
  std::vector<MemoryEstimate> memory;    // by pipeline coordinate
  std::vector<TrafficEstimate> traffic;  // by pipeline coordinate
  /// What the plan asks for that this version cannot run; empty in a plan for training.
  std::vector<std::string> unsupported;
};

}  // namespace hyperpp::plan

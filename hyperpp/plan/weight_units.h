// The weights of one pipeline rank as the engine lays them out: in units that are gathered and
// reduced together (models/parameter_store.h).
//
//     group       embedding | layer 0 | layer 1 | ... | final norm | head
//     its units   matrices and, where they are computed in another type, gains
//
// Each weight takes a multiple of 32 elements, a unit the same multiple on every rank that shares
// it. Tensor parallelism divides matrices, expert parallelism experts; without sharded data
// parallelism a unit's shard is the whole unit. Without fsdp.comm_fusion each weight is a unit.
#pragma once

#include <cstdint>
#include <vector>

#include "hyperpp/config/config.h"
#include "hyperpp/core/outline.h"
#include "hyperpp/plan/model_facts.h"
#include "hyperpp/plan/train_plan.h"

namespace hyperpp::plan {

/// Bytes of an element in the type of computation; `auto` counts as float32.
int64_t ComputeBytes(const config::Config& config);

/// Sizes in elements.
struct WeightUnit {
  bool is_gain = false;       // computed in fp32
  int64_t shard_degree = 1;   // ranks that share it
  int64_t numel = 0;          // after tensor and expert parallelism, padding included
  int64_t shard_numel = 0;    // what the rank owns of it
  int64_t num_trainable = 0;  // of what it owns, without padding
};

enum class GroupKind { kEmbedding, kLayer, kFinalNorm, kHead };

/// Weights that are used together.
struct WeightGroup {
  GroupKind kind = GroupKind::kLayer;
  int64_t layer = -1;  // of kLayer
  std::vector<WeightUnit> units;

  int64_t NumElements() const;
  int64_t NumShardElements() const;
  int64_t NumTrainable() const;
  /// Of the whole group in the type in which it is gathered. `compute_bytes`: of matrices.
  int64_t GatheredBytes(int64_t compute_bytes) const;
};

/// Groups of pipeline rank `rank`, in the order of the model. A tied head is the embedding where
/// the rank holds both. Reads the mesh, the stages and the trainable names of `plan`.
std::vector<WeightGroup> GroupsOnRank(const config::Config& config, const ModelOutline& outline,
                                      const ModelFacts& facts, const TrainPlan& plan, int rank);

}  // namespace hyperpp::plan

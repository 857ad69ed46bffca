// A model of three parameters whose values say where they belong, for tests of checkpoints.
#pragma once

#include <string>
#include <vector>

#include <ATen/ATen.h>

#include "hyperpp/checkpoint/save.h"

namespace hyperpp::checkpoint {

inline ModelOutline SmallOutline() {
  return {{{"embed.weight", {6, 4}}, {"layers.0.up.weight", {5, 3}, 0}, {"norm.weight", {3}}},
          1,
          {{"lm_head.weight", "embed.weight"}}};
}

/// Values of one entry; they differ for every name, kind and `version`.
inline at::Tensor SmallTensor(const ParameterOutline& parameter, const std::string& kind,
                              int version = 0) {
  const auto start = static_cast<double>(parameter.fqn.size() * 100 + kind.size() * 10) + version;
  return (at::arange(parameter.NumElements(), at::kFloat) * 0.01 + start).view(parameter.shape);
}

/// What rank `rank` of `num_ranks` saves: rows of every tensor, as evenly as FSDP shards them (the
/// last ranks may get less, or nothing).
inline std::vector<SavedTensor> SmallShard(int rank, int num_ranks,
                                           const std::vector<std::string>& kinds, int version = 0) {
  std::vector<SavedTensor> tensors;
  for (const ParameterOutline& parameter : SmallOutline().parameters) {
    const int64_t rows = parameter.shape[0];
    const int64_t chunk = (rows + num_ranks - 1) / num_ranks;
    const int64_t begin = std::min(rows, chunk * rank), end = std::min(rows, begin + chunk);
    std::vector<int64_t> offsets(parameter.shape.size(), 0);
    offsets[0] = begin;
    for (const std::string& kind : kinds)
      tensors.push_back({parameter.fqn, kind, parameter.shape, offsets,
                         SmallTensor(parameter, kind, version).slice(0, begin, end)});
  }
  return tensors;
}

inline const std::vector<std::string>& AdamKinds() {
  static const std::vector<std::string> kinds = {kParameter, kExpAvg, kExpAvgSq};
  return kinds;
}

inline CheckpointState SmallState(int64_t step, int world_size = 1) {
  CheckpointState state;
  state.step = step;
  state.world_size = world_size;
  state.layout = {{"dp_shard", world_size}};
  state.config = {{"training", {{"seed", 3}}}};
  state.data = {{"next_sample", 8 * step}};
  state.random = {{"seed", 3}};
  state.optimizer = {{"type", "adamw"}, {"lr", 0.1}};
  state.model_config = {{"model_type", "qwen3"}, {"torch_dtype", "bfloat16"}};
  state.outline = SmallOutline();
  state.export_dtypes = {{"norm.weight", at::kFloat}};
  return state;
}

/// Saves the model as `num_ranks` ranks would, one after the other; returns the step folder.
inline std::string SaveSmall(const std::string& directory, int64_t step, int num_ranks = 1,
                             int version = 0) {
  for (int rank = 0; rank < num_ranks; ++rank) {
    CheckpointWriter writer(directory, step, rank, num_ranks);
    if (rank == 0) writer.Begin();
    writer.WriteShard(SmallShard(rank, num_ranks, AdamKinds(), version));
  }
  return CheckpointWriter(directory, step, 0, num_ranks).Commit(SmallState(step, num_ranks), "");
}

/// A request of a single rank.
inline SaveRequest SmallRequest(const std::string& directory, int64_t step, int64_t keep = 0) {
  return {directory, SmallState(step), SmallShard(0, 1, AdamKinds(), static_cast<int>(step)), keep,
          ""};
}

}  // namespace hyperpp::checkpoint

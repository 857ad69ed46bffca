// Saving a checkpoint: every rank writes its own boxes, then rank 0 makes them a checkpoint.
//
//     rank 0      Begin:  clean leftovers, make .saving_step_N
//     every rank  WriteShard:  shard_R.safetensors, then .rank_R.json (what is in it)
//     rank 0      Commit:  check that all boxes together are the model, write manifest.json,
//                          rename to step_N
//     rank 0      remove older checkpoints
//
// The lines are separated by agreements of all ranks, so that an error anywhere ends the save
// everywhere, and the checkpoints before it stay as they are. A rank that holds a copy of what
// another one writes passes nothing for it.
// Source: the two-phase layout of torch.distributed.checkpoint (planner, storage writer, metadata
// written last), and LevelDB's CURRENT file.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

#include "hyperpp/checkpoint/manifest.h"

namespace hyperpp::comm {
class World;
}

namespace hyperpp::checkpoint {

/// One box of a tensor of the full model, held by this rank.
struct SavedTensor {
  std::string fqn;                    // name in the full model
  std::string kind;                   // kParameter, kExpAvg, kExpAvgSq, kMomentumBuffer
  std::vector<int64_t> global_shape;  // of the full tensor
  std::vector<int64_t> offsets;       // where `local` starts in it
  at::Tensor local;                   // any device, any strides; empty boxes are left out
};

/// The parts of one save; see the drawing above for who calls what.
class CheckpointWriter {
 public:
  CheckpointWriter(std::string directory, int64_t step, int rank, int world_size);

  /// Rank 0, before any rank writes. Errors: IoError.
  void Begin();

  /// Every rank. Errors: IoError; InternalError for a box outside its tensor.
  void WriteShard(const std::vector<SavedTensor>& tensors);

  /// True when all ranks have written: their notes are in the folder.
  bool AllRanksWrote() const;

  /// Rank 0, after all ranks have written; returns the step folder. Tokenizer and generation files
  /// of `source_directory` (may be empty) are kept along.
  /// Errors: IoError; InternalError if the boxes of all ranks are not exactly the model of
  ///         `state.outline`.
  std::string Commit(const CheckpointState& state, const std::string& source_directory);

  /// Rank 0, after an error: removes what was written.
  void Abandon() noexcept;

 private:
  std::string NotePath(int rank) const;
  std::vector<Shard> CollectShards() const;
  std::vector<AttachedFile> AttachFiles(const std::string& source_directory) const;

  std::string directory_, saving_;
  int64_t step_;
  int rank_, world_size_;
};

/// A whole save. `tensors` are this rank's boxes.
struct SaveRequest {
  std::string directory;  // the folder of the step folders
  CheckpointState state;  // used on rank 0
  std::vector<SavedTensor> tensors;
  int64_t keep = 0;              // complete checkpoints to keep; 0: all
  std::string source_directory;  // of the model, for tokenizer files; may be empty
};

/// Saves and returns the path of the step folder.
/// Collective: all ranks of `world`; a null `world` is a single rank.
/// Errors: as CheckpointWriter's, on all ranks.
std::string SaveCheckpoint(comm::World* world, const SaveRequest& request);

}  // namespace hyperpp::checkpoint

// Saves checkpoints while training goes on: a copy of this rank's tensors is taken at once, a
// thread writes it. Nothing is communicated from the thread: rank 0's sees from the notes in the
// folder (save.h) when all ranks have written, and then makes the checkpoint visible.
//
//     training thread   Start: copy | step | step | step | Start (or Finish): errors surface here
//                                     failed()? a run that asks after each step calls Finish then
//     writing thread                 write shard, note
//     rank 0's                       write shard, note, wait for all notes, commit
//
// Costs host memory for one more copy of what this rank saves. Source: the staged save of
// torch.distributed.checkpoint (async_save), and CheckFreq, FAST 2021, section 4.
#pragma once

#include <atomic>
#include <functional>
#include <future>
#include <optional>
#include <thread>

#include "hyperpp/checkpoint/save.h"

namespace hyperpp::checkpoint {

class AsyncSaver {
 public:
  /// A null `world` is a single rank.
  explicit AsyncSaver(comm::World* world);
  /// Ends without an error: a save under way is completed if all ranks have written, else dropped.
  ~AsyncSaver();
  AsyncSaver(const AsyncSaver&) = delete;
  AsyncSaver& operator=(const AsyncSaver&) = delete;

  /// Finishes the save before, then begins this one. Tensors may change when it has returned.
  /// Collective: all ranks. Errors: those of the save before, or of Begin.
  void Start(const SaveRequest& request);

  /// Returns when the save under way, if any, is complete and visible.
  /// Collective: all ranks. Errors: as SaveCheckpoint; the save is dropped.
  void Finish();

  /// Whether this rank's part of the save under way has failed; Finish throws the error.
  bool failed() const { return failed_; }

 private:
  void Agree(const std::function<void()>& fn);
  void Run(std::promise<void> written, std::promise<void> committed);
  void CommitWhenAllWrote();
  void Drop() noexcept;

  comm::World* world_;
  int rank_, world_size_;
  SaveRequest request_;
  std::optional<CheckpointWriter> writer_;  // while a save is under way
  std::future<void> written_, committed_;
  std::atomic<bool> stop_ = false;       // a part of the save is missing and will not come
  std::atomic<bool> all_wrote_ = false;  // all ranks said so: their notes must be there
  std::atomic<bool> failed_ = false;
  std::thread thread_;
};

}  // namespace hyperpp::checkpoint

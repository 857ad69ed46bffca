#include "hyperpp/checkpoint/async_saver.h"

#include <chrono>
#include <exception>
#include <utility>

#include "hyperpp/checkpoint/step_folders.h"
#include "hyperpp/comm/world.h"
#include "hyperpp/core/error.h"

namespace hyperpp::checkpoint {

namespace {

constexpr std::chrono::milliseconds kNotePollInterval{5};

/// A contiguous copy on the host that shares nothing with `tensor`.
at::Tensor HostCopy(const at::Tensor& tensor) {
  const at::Tensor host = tensor.detach();
  return host.is_cpu() ? host.clone(at::MemoryFormat::Contiguous) : host.cpu().contiguous();
}

/// Runs `work` and passes its end on to `promise`; returns whether it succeeded.
bool Fulfil(std::promise<void>& promise, const std::function<void()>& work) noexcept {
  try {
    work();
    promise.set_value();
    return true;
  } catch (...) {
    promise.set_exception(std::current_exception());
    return false;
  }
}

}  // namespace

AsyncSaver::AsyncSaver(comm::World* world)
    : world_(world),
      rank_(world == nullptr ? 0 : world->rank()),
      world_size_(world == nullptr ? 1 : world->size()) {}

AsyncSaver::~AsyncSaver() {
  if (writer_) Drop();
}

void AsyncSaver::Agree(const std::function<void()>& fn) {
  world_ == nullptr ? fn() : world_->Agree(fn);
}

void AsyncSaver::Start(const SaveRequest& request) {
  Finish();
  CheckpointWriter writer(request.directory, request.state.step, rank_, world_size_);
  Agree([&] {
    if (rank_ == 0) writer.Begin();
  });
  request_ = request;
  for (SavedTensor& tensor : request_.tensors) tensor.local = HostCopy(tensor.local);
  writer_.emplace(std::move(writer));
  stop_ = all_wrote_ = failed_ = false;
  std::promise<void> written, committed;
  written_ = written.get_future();
  committed_ = committed.get_future();
  thread_ = std::thread(&AsyncSaver::Run, this, std::move(written), std::move(committed));
}

void AsyncSaver::Run(std::promise<void> written, std::promise<void> committed) {
  const bool success = Fulfil(written, [&] {
    writer_->WriteShard(request_.tensors);
    request_.tensors.clear();  // gives the copies back early
  });
  const bool complete = Fulfil(committed, [&] {
    if (success && rank_ == 0) CommitWhenAllWrote();
  });
  failed_ = !success || !complete;
}

void AsyncSaver::CommitWhenAllWrote() {
  // A note that is not seen when all ranks have written is an error, which Commit reports.
  while (!all_wrote_ && !writer_->AllRanksWrote()) {
    if (stop_) throw IoError("the save was dropped before all ranks had written");
    std::this_thread::sleep_for(kNotePollInterval);
  }
  writer_->Commit(request_.state, request_.source_directory);
  RemoveOldCheckpoints(request_.directory, request_.state.step, request_.keep);
}

void AsyncSaver::Finish() {
  if (!writer_) return;
  try {
    Agree([&] { written_.get(); });
    all_wrote_ = true;
    Agree([&] { committed_.get(); });
  } catch (...) {
    Drop();
    throw;
  }
  thread_.join();
  writer_.reset();
}

void AsyncSaver::Drop() noexcept {
  stop_ = true;
  thread_.join();
  // After a commit nothing is left under the name that this removes.
  if (rank_ == 0) writer_->Abandon();
  writer_.reset();
  request_ = {};
  failed_ = false;
}

}  // namespace hyperpp::checkpoint

// Ranks as threads of one process that can agree, and nothing else: enough to test what a
// checkpoint does on several ranks without communication.
#pragma once

#include <condition_variable>
#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "hyperpp/comm/world.h"

namespace hyperpp::checkpoint {

/// What the ranks of one test share.
class ThreadJob {
 public:
  explicit ThreadJob(int size) : size_(size), errors_(static_cast<size_t>(size)) {}

  /// Waits for all ranks; returns the error of the lowest rank that had one.
  std::exception_ptr Exchange(int rank, std::exception_ptr error) {
    std::unique_lock lock(mutex_);
    errors_[static_cast<size_t>(rank)] = error;
    const int64_t round = round_;
    if (++num_waiting_ == size_) {
      first_ = nullptr;
      for (auto& other : errors_)
        if (other && !first_) first_ = other;
      num_waiting_ = 0;
      ++round_;
      changed_.notify_all();
    }
    changed_.wait(lock, [&] { return round_ != round; });
    return first_;
  }

  int size() const { return size_; }

 private:
  int size_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::exception_ptr> errors_;
  std::exception_ptr first_;
  int num_waiting_ = 0;
  int64_t round_ = 0;
};

class ThreadWorld : public comm::World {
 public:
  ThreadWorld(ThreadJob& job, int rank) : job_(job) {
    identity_.rank = rank;
    identity_.world_size = job.size();
  }
  const comm::RankIdentity& identity() const override { return identity_; }
  const MeshLayout& layout() const override { return layout_; }
  comm::Group& Along(const std::vector<Axis>&) override { throw std::logic_error("no groups"); }
  comm::Group& Along(const std::vector<Axis>&, const std::string&) override {
    throw std::logic_error("no groups");
  }
  comm::Group& Control() override { throw std::logic_error("no groups"); }
  void CheckSame(const std::map<std::string, std::string>&) override {}
  void SetActivity(std::string) override {}
  void Agree(const std::function<void()>& fn) override {
    std::exception_ptr error;
    try {
      fn();
    } catch (...) {
      error = std::current_exception();
    }
    if (const auto first = job_.Exchange(rank(), error))
      std::rethrow_exception(error ? error : first);
  }

 private:
  ThreadJob& job_;
  comm::RankIdentity identity_;
  MeshLayout layout_;
};

/// Runs `body` on `size` ranks; returns the text of each one's error, "" for none.
inline std::vector<std::string> RunRanks(int size, const std::function<void(ThreadWorld&)>& body) {
  ThreadJob job(size);
  std::vector<std::string> errors(static_cast<size_t>(size));
  std::vector<std::thread> threads;
  for (int rank = 0; rank < size; ++rank) {
    threads.emplace_back([&, rank] {
      ThreadWorld world(job, rank);
      try {
        body(world);
      } catch (const std::exception& error) {
        errors[static_cast<size_t>(rank)] = error.what();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  return errors;
}

}  // namespace hyperpp::checkpoint

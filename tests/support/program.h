// Runs programs that were built beside the test, with captured output and a hard time limit.
//
//     Program run({BuiltProgram("hyperpp"), "train", "run.yaml"});
//     ProgramResult result = run.Wait();
//     EXPECT_EQ(result.status, 2);
//     EXPECT_THAT(result.err, HasSubstr("training.steps"));
#pragma once

#include <chrono>
#include <string>
#include <sys/types.h>
#include <vector>

namespace hyperpp::test {

struct ProgramResult {
  int status = -1;  // exit status; -1 if a signal ended it
  int signal = 0;
  bool timed_out = false;  // it was killed at the time limit
  std::string out, err;
};

/// A started program. Ends with this object at the latest.
class Program {
 public:
  /// Starts `arguments` (the first is the file) in `directory` (empty: this one), with
  /// `environment`
  /// ("NAME=value", or "NAME" to unset it) on top of this process's.
  explicit Program(const std::vector<std::string>& arguments,
                   const std::vector<std::string>& environment = {},
                   const std::string& directory = "");
  Program(const Program&) = delete;
  ~Program();

  pid_t pid() const { return pid_; }
  void Signal(int number) const;
  /// Waits until it ends; kills it after `limit`.
  ProgramResult Wait(std::chrono::milliseconds limit = std::chrono::seconds(60));
  /// What it has written so far.
  std::string Out() const;
  std::string Err() const;

 private:
  pid_t pid_ = -1;
  int out_ = -1, err_ = -1;  // files in memory
};

/// Path of the program `name` in the folder of this test program.
std::string BuiltProgram(const std::string& name);

/// Starts and waits.
ProgramResult RunProgram(const std::vector<std::string>& arguments,
                         const std::vector<std::string>& environment = {},
                         std::chrono::milliseconds limit = std::chrono::seconds(60));

/// Live descendants of process `pid`.
std::vector<pid_t> LiveDescendants(pid_t pid);
/// Whether process `pid` exists and is no zombie.
bool IsAlive(pid_t pid);

/// Polls until `condition` holds or `limit` has passed; returns whether it held.
template <typename Condition>
bool Eventually(Condition&& condition, std::chrono::milliseconds limit = std::chrono::seconds(10));

void SleepMilliseconds(int milliseconds);

template <typename Condition>
bool Eventually(Condition&& condition, std::chrono::milliseconds limit) {
  const auto end = std::chrono::steady_clock::now() + limit;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    SleepMilliseconds(10);
  }
  return true;
}

}  // namespace hyperpp::test

// One rank's process, as its launcher holds it.
#pragma once

#include <string>
#include <sys/types.h>
#include <vector>

namespace hyperpp::launch {

/// What a rank is started with.
struct RankStart {
  std::vector<std::string> arguments;
  int rank = 0, num_ranks = 1;
  int master_port = 0;
  int listen_descriptor = -1;  // rank 0: the bound socket
};

class RankProcess {
 public:
  /// Starts this program again as a rank, in its own process group, with SIGTERM and SIGINT blocked
  /// (StopRequest unblocks them, so that an early one is not lost). The kernel kills it when the
  /// calling thread ends.
  explicit RankProcess(const RankStart& start);
  RankProcess(const RankProcess&) = delete;
  RankProcess(RankProcess&& other) noexcept;
  /// Kills the rank if it still runs.
  ~RankProcess();

  int rank() const { return rank_; }
  bool has_ended() const { return has_ended_; }
  int wait_status() const { return wait_status_; }
  /// Readable end of the report pipe; -1 once the rank has closed its end.
  int report_descriptor() const { return report_descriptor_; }
  /// What the rank reported so far.
  const std::string& report() const { return report_; }

  void Signal(int number) const;
  /// Takes what lies in the pipe.
  void ReadReport();
  /// Takes the end of the process if it has ended; returns whether it ended with this call.
  bool Reap();

 private:
  int rank_;
  pid_t pid_ = -1;
  int report_descriptor_ = -1;
  bool has_ended_ = false;
  int wait_status_ = 0;
  std::string report_;
};

}  // namespace hyperpp::launch

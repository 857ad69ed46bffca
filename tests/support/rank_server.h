// The process that forks ranks for tests; see ranks.h.
//
//     test process  --request-->  server  --fork-->  rank 0, rank 1, ...
//                   <--results--          <--pipe--  failed assertions, end
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "hyperpp/comm/rank_identity.h"

namespace hyperpp::test {

/// Which function a rank is to run: the `call`-th RunRanks of `test`.
struct RankTask {
  std::string test;
  int call = 0;
  comm::RankIdentity identity;
  int result_descriptor = -1;  // takes the records of the rank
};

struct RankRequest {
  std::string test;
  int call = 0;
  int num_ranks = 0;
  std::chrono::milliseconds time_limit{0};
};

struct RankResult {
  int wait_status = 0;  // as of waitpid
  bool timed_out = false;
  std::string records;
};

class RankServer {
 public:
  /// Forks the server; in each rank that it forks later, this call returns the rank's task.
  /// REQUIRES: the process has one thread.
  static std::optional<RankTask> Start();

  /// Has the ranks of `request` run, and returns how each ended.
  static std::vector<RankResult> Run(const RankRequest& request);
};

}  // namespace hyperpp::test

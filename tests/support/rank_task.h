// The rank's side of a multi-rank test: which call it is here for, and how failures travel.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tests/support/rank_server.h"

namespace hyperpp::test {

/// A failed assertion of a rank.
struct RankFailure {
  std::string file;
  int line = 0;
  std::string message;
};

/// Makes this process the rank of `task`: only its test runs, and failures go to the server.
void BecomeRank(RankTask task);

/// Returns whether this process is a rank, and null if it is the test.
const RankTask* CurrentRankTask();

/// Runs `function`, reports what it throws, and ends this rank.
[[noreturn]] void RunAsRank(const std::function<void()>& function);

/// Reads what a rank wrote: its failures, and whether it came to its end.
std::vector<RankFailure> ParseRecords(const std::string& records, bool* finished);

}  // namespace hyperpp::test

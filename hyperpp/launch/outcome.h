// What a job's failure was: the cause among the failures of its ranks.
//
// When one rank fails, the others lose their connections to it within milliseconds and fail as
// well. Their CommErrors are echoes. The cause is the first rank that was killed, that reported
// another kind of error, or that ended without a word; only if there is none, the first CommError.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "hyperpp/launch/failure_report.h"

namespace hyperpp::launch {

/// How one rank ended. Outcomes are judged in the order in which the launcher learned of them.
struct RankOutcome {
  int rank = 0;
  int wait_status = 0;                  // as of waitpid
  bool was_killed = false;              // by the launcher, because of another rank's failure
  bool was_stopped = false;             // by the user's SIGTERM or SIGINT, passed on
  std::optional<FailureReport> report;  // what the rank said
};

struct JobOutcome {
  int exit_status = 0;
  std::string text;                 // empty if the job is done
  std::optional<int> causing_rank;  // empty if all ranks said the same
};

/// Finds the cause; `num_ranks` is the size of the job. A job that the user stopped is done.
JobOutcome JudgeJob(const std::vector<RankOutcome>& in_order, int num_ranks);

}  // namespace hyperpp::launch

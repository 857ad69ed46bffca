#include "hyperpp/launch/outcome.h"

#include <algorithm>
#include <csignal>
#include <cstring>
#include <sys/wait.h>

#include <fmt/format.h>

namespace hyperpp::launch {
namespace {

bool HasFailed(const RankOutcome& outcome) {
  return !outcome.was_killed && !outcome.was_stopped &&
         (WIFSIGNALED(outcome.wait_status) || WEXITSTATUS(outcome.wait_status) != 0);
}

bool IsEcho(const RankOutcome& outcome) {
  return outcome.report && outcome.report->is_communication;
}

std::string Describe(const RankOutcome& outcome) {
  if (outcome.report) return outcome.report->text;
  if (!WIFSIGNALED(outcome.wait_status)) {
    return fmt::format("rank {} ended with exit status {} and said nothing", outcome.rank,
                       WEXITSTATUS(outcome.wait_status));
  }
  const int signal = WTERMSIG(outcome.wait_status);
  const char* name = sigabbrev_np(signal);
  return fmt::format("rank {} was killed by signal {} (SIG{}){}", outcome.rank, signal,
                     name == nullptr ? "?" : name,
                     signal == SIGKILL ? "; if nobody did that, memory ran out (see dmesg)" : "");
}

int StatusOf(const RankOutcome& outcome) {
  if (outcome.report) return outcome.report->exit_status;
  if (WIFSIGNALED(outcome.wait_status)) return static_cast<int>(ExitStatus::kMachine);
  return WEXITSTATUS(outcome.wait_status);
}

}  // namespace

JobOutcome JudgeJob(const std::vector<RankOutcome>& in_order, int num_ranks) {
  const auto first = [&](auto condition) {
    return std::find_if(in_order.begin(), in_order.end(), condition);
  };
  auto cause = first([](const RankOutcome& o) { return HasFailed(o) && !IsEcho(o); });
  const auto was_stopped = [](const RankOutcome& o) { return o.was_stopped; };
  if (cause == in_order.end() && first(was_stopped) != in_order.end()) return {};
  if (cause == in_order.end()) cause = first(HasFailed);
  if (cause == in_order.end()) return {};
  JobOutcome outcome{StatusOf(*cause), Describe(*cause), cause->rank};
  const auto num_same = std::count_if(in_order.begin(), in_order.end(), [&](const RankOutcome& o) {
    return o.report && o.report->text == outcome.text;
  });
  if (num_same == num_ranks) outcome.causing_rank.reset();
  return outcome;
}

}  // namespace hyperpp::launch

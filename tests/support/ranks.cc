#include "tests/support/ranks.h"

#include <cstring>
#include <sys/wait.h>

#include <ATen/Parallel.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/support/rank_server.h"
#include "tests/support/rank_task.h"

namespace hyperpp::test {
namespace {

std::string CurrentTest() {
  const testing::TestInfo* info = testing::UnitTest::GetInstance()->current_test_info();
  return fmt::format("{}.{}", info->test_suite_name(), info->name());
}

/// Number of this call among those of the current test, the same in the test and in its ranks.
int CountCall(const std::string& test) {
  static std::string counted_test;
  static int num_calls = 0;
  if (counted_test != test) {
    counted_test = test;
    num_calls = 0;
  }
  return num_calls++;
}

std::string DescribeEnd(const RankResult& result) {
  if (result.timed_out) return "was still running at the time limit";
  if (WIFSIGNALED(result.wait_status)) {
    return fmt::format("was killed by signal {} ({})", WTERMSIG(result.wait_status),
                       strsignal(WTERMSIG(result.wait_status)));
  }
  return fmt::format("ended with status {} before it returned", WEXITSTATUS(result.wait_status));
}

void AddFailures(int rank, const RankResult& result, bool may_die,
                 std::vector<FailureOfRank>& failures) {
  bool finished = false;
  for (RankFailure& failure : ParseRecords(result.records, &finished)) {
    failures.push_back({rank, std::move(failure.file), failure.line, std::move(failure.message)});
  }
  if (!finished && (result.timed_out || !may_die)) {
    failures.push_back({rank, "", 0, DescribeEnd(result)});
  }
}

}  // namespace

std::vector<FailureOfRank> CollectRankFailures(
    int num_ranks, const std::function<void(const comm::RankIdentity&)>& function,
    const RankOptions& options) {
  const std::string test = CurrentTest();
  const int call = CountCall(test);
  if (const RankTask* task = CurrentRankTask()) {
    if (task->call != call) return {};  // an earlier call of the same test
    at::set_num_threads(1);
    RunAsRank([&] { function(task->identity); });
  }
  const std::vector<RankResult> results =
      RankServer::Run({test, call, num_ranks, options.time_limit});
  std::vector<FailureOfRank> failures;
  for (int rank = 0; rank < num_ranks; ++rank) {
    AddFailures(rank, results[rank], options.may_die.contains(rank), failures);
  }
  return failures;
}

void RunRankProcesses(int num_ranks, const std::function<void(const comm::RankIdentity&)>& function,
                      const RankOptions& options) {
  for (const FailureOfRank& failure : CollectRankFailures(num_ranks, function, options)) {
    const bool has_place = !failure.file.empty();
    ADD_FAILURE_AT(has_place ? failure.file.c_str() : __FILE__, has_place ? failure.line : __LINE__)
        << "rank " << failure.rank << ": " << failure.text;
  }
}

void RunRanks(const MeshLayout& layout, const std::function<void(comm::World&)>& function,
              const RankOptions& options) {
  RunRankProcesses(
      layout.WorldSize(),
      [&](const comm::RankIdentity& identity) {
        const std::unique_ptr<comm::World> world =
            comm::World::Join(identity, layout, options.world);
        function(*world);
      },
      options);
}

void RunRanks(int num_ranks, const std::function<void(comm::World&)>& function,
              const RankOptions& options) {
  RunRanks(MeshLayout({1, num_ranks, 1, 1, 1}), function, options);
}

}  // namespace hyperpp::test

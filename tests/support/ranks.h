// Tests that run on several ranks.
//
//     TEST(BackendGroup, AllReduceSums) {
//       RunRanks(2, [](comm::World& world) {                // or RunRanks(MeshLayout(...), ...)
//         at::Tensor x = at::full({3}, world.rank() + 1.0);
//         world.Control().AllReduce(x)->Wait();
//         EXPECT_EQ(x[0].item<double>(), 3);                // a failure here fails the test
//       });
//     }
//
// Each rank is a process of its own. hyperpp_add_test(... DIST) links this main(), which forks a
// small server before libtorch starts any thread; the server forks the ranks of every RunRanks, so
// that a rank starts in milliseconds instead of loading libtorch again. A rank runs the *same test
// from its start*, up to its RunRanks call, and ends there: what stands before the call runs on
// every rank as well, what follows runs in the test alone. The function may therefore capture
// anything.
//
// Failed assertions, exceptions, crashes and ranks that outlive the time limit fail the test, with
// the number of the rank. No process outlives the call, nor the test if that is killed. Ranks
// compute with one thread each. Results go back to the test through assertions only.
#pragma once

#include <chrono>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "hyperpp/comm/rank_identity.h"
#include "hyperpp/comm/world.h"
#include "hyperpp/core/mesh_layout.h"

namespace hyperpp::test {

struct RankOptions {
  /// Ranks that still run then are killed, and fail the test.
  std::chrono::milliseconds time_limit{20000};
  /// Ranks that the test kills, or that end without returning.
  std::set<int> may_die;
  /// For RunRanks: how the ranks join.
  comm::WorldOptions world{.timeout = std::chrono::seconds(10),
                           .rendezvous_timeout = std::chrono::seconds(10)};
};

/// Runs `function` on `num_ranks` ranks that have joined, laid out along dp_replicate.
void RunRanks(int num_ranks, const std::function<void(comm::World&)>& function,
              const RankOptions& options = {});

/// Runs `function` on the ranks of `layout`.
void RunRanks(const MeshLayout& layout, const std::function<void(comm::World&)>& function,
              const RankOptions& options = {});

/// Runs `function` in `num_ranks` processes that know their identity, and have not joined.
void RunRankProcesses(int num_ranks, const std::function<void(const comm::RankIdentity&)>& function,
                      const RankOptions& options = {});

/// A way in which a rank failed the test.
struct FailureOfRank {
  int rank = 0;
  std::string file;  // empty if it is no failed assertion
  int line = 0;
  std::string text;
};

/// As RunRankProcesses, and returns the failures instead of failing the test.
std::vector<FailureOfRank> CollectRankFailures(
    int num_ranks, const std::function<void(const comm::RankIdentity&)>& function,
    const RankOptions& options = {});

}  // namespace hyperpp::test

#include "tests/support/ranks.h"

#include <csignal>
#include <stdexcept>

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include "tests/support/program.h"

namespace hyperpp::test {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

TEST(Ranks, KnowTheirPlace) {
  RunRanks(MeshLayout({2, 1, 1, 1, 2}), [](comm::World& world) {
    EXPECT_EQ(world.size(), 4);
    EXPECT_EQ(world.layout().Degree(Axis::kTensor), 2);
  });
}

TEST(Ranks, SecondCallRunsItsOwnFunction) {
  at::Tensor rank = at::empty({1}, at::kLong);
  RunRanks(2, [&](comm::World& world) { rank.fill_(world.rank()); });
  RunRanks(2, [&](comm::World& world) {
    at::Tensor sum = at::ones({1}, at::kLong);
    world.Control().AllReduce(sum)->Wait();
    EXPECT_EQ(sum.item<int64_t>(), 2);
  });
}

TEST(Ranks, FailedAssertionOfARankIsAFailure) {
  const auto failures = CollectRankFailures(
      2, [](const comm::RankIdentity& identity) { EXPECT_EQ(identity.rank, 0) << "on purpose"; });
  ASSERT_EQ(failures.size(), 1);
  EXPECT_EQ(failures[0].rank, 1);
  EXPECT_THAT(failures[0].file, EndsWith("ranks_test.cc"));
  EXPECT_THAT(failures[0].text, HasSubstr("on purpose"));
}

TEST(Ranks, ExceptionOfARankIsAFailure) {
  const auto failures =
      CollectRankFailures(1, [](const comm::RankIdentity&) { throw std::runtime_error("lost"); });
  ASSERT_EQ(failures.size(), 1);
  EXPECT_THAT(failures[0].text, HasSubstr("threw InternalError: lost"));
}

TEST(Ranks, CrashIsAFailure) {
  const auto failures = CollectRankFailures(1, [](const comm::RankIdentity&) { raise(SIGKILL); });
  ASSERT_EQ(failures.size(), 1);
  EXPECT_THAT(failures[0].text, HasSubstr("killed by signal 9"));
}

TEST(Ranks, AnnouncedCrashIsNoFailure) {
  RankOptions options;
  options.may_die = {0};
  RunRankProcesses(
      1, [](const comm::RankIdentity&) { raise(SIGKILL); }, options);
}

TEST(Ranks, AreKilledAtTheTimeLimit) {
  RankOptions options;
  options.time_limit = std::chrono::milliseconds(200);
  const auto failures = CollectRankFailures(
      2, [](const comm::RankIdentity&) { pause(); }, options);
  ASSERT_EQ(failures.size(), 2);
  EXPECT_THAT(failures[0].text, HasSubstr("still running"));
  EXPECT_EQ(LiveDescendants(getpid()).size(), 1);  // the rank server
}

}  // namespace
}  // namespace hyperpp::test

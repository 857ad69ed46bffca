// What the other ranks see when one dies, stalls, or fails: see failure_text.cc, backend_group.cc.
#include <chrono>
#include <csignal>
#include <thread>

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include "hyperpp/comm/failure_text.h"
#include "hyperpp/comm/world.h"
#include "hyperpp/core/error.h"
#include "tests/support/error_text.h"
#include "tests/support/ranks.h"

namespace hyperpp::comm {
namespace {

using Clock = std::chrono::steady_clock;
using test::ErrorText;
using test::RankOptions;
using test::RunRanks;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

TEST(Failure, DeathInACollectiveIsSeenAtOnce) {
  RankOptions options;
  options.may_die = {1};
  RunRanks(
      2,
      [](World& world) {
        world.SetActivity("step 12");
        if (world.rank() == 1) raise(SIGKILL);
        const Clock::time_point start = Clock::now();
        const std::string text =
            ErrorText<CommError>([&] { world.Control().AllReduce(at::ones({1}))->Wait(); });
        EXPECT_LT(SecondsSince(start), 2);
        EXPECT_THAT(text, HasSubstr("rank 0 (dp_replicate 0): step 12, all_reduce over ranks 0,1: "
                                    "connection closed by peer; one of these ranks has ended"));
        // And again, at the start of the operation.
        EXPECT_THAT(ErrorText<CommError>([&] { world.Control().AllReduce(at::ones({1}))->Wait(); }),
                    HasSubstr("all_reduce over ranks 0,1: connection closed by peer"));
      },
      options);
}

TEST(Failure, DeathInPointToPointNamesThePeer) {
  RankOptions options;
  options.may_die = {1};
  RunRanks(
      MeshLayout({2, 1, 1, 1, 1}),
      [](World& world) {
        Group& group = world.Along({Axis::kPipeline});
        if (world.rank() == 1) _exit(3);
        const std::string text =
            ErrorText<CommError>([&] { group.Receive(at::ones({1}), 1)->Wait(); });
        EXPECT_EQ(text,
                  "rank 0 (pp 0): receive from rank 1: connection closed by peer; rank 1 has "
                  "ended, see its own message");
      },
      options);
}

TEST(Failure, DeathIsSeenWhenAGroupIsMade) {
  RankOptions options;
  options.may_die = {1};
  RunRanks(
      MeshLayout({2, 1, 1, 1, 1}),
      [](World& world) {
        if (world.rank() == 1) _exit(3);
        const Clock::time_point start = Clock::now();
        EXPECT_THROW(world.Along({Axis::kPipeline}), CommError);
        EXPECT_LT(SecondsSince(start), 2);
      },
      options);
}

TEST(Failure, WritingToADeadPeerDoesNotEndTheProcess) {
  RankOptions options;
  options.may_die = {1};
  RunRanks(
      2,
      [](World& world) {
        if (world.rank() == 1) _exit(3);
        for (int i = 0; i < 100; ++i) {
          EXPECT_THROW(world.Control().Send(at::ones({100000}), 1)->Wait(), CommError);
        }
      },
      options);
}

RankOptions ShortTimeout() {
  RankOptions options;
  options.world.timeout = std::chrono::milliseconds(300);
  return options;
}

TEST(Failure, StallEndsACollectiveAtTheTimeout) {
  RunRanks(
      2,
      [](World& world) {
        const Clock::time_point start = Clock::now();
        if (world.rank() == 1) {
          std::this_thread::sleep_for(std::chrono::milliseconds(900));
          return;
        }
        const std::string text =
            ErrorText<CommError>([&] { world.Control().AllReduce(at::ones({1}))->Wait(); });
        EXPECT_GT(SecondsSince(start), 0.2);
        EXPECT_LT(SecondsSince(start), 0.8);
        EXPECT_THAT(text, HasSubstr("all_reduce over ranks 0,1: no answer within 0.3 s; one of "
                                    "these ranks is stopped, stuck or far behind"));
      },
      ShortTimeout());
}

TEST(Failure, StallEndsPointToPointAtTheTimeout) {
  RunRanks(
      2,
      [](World& world) {
        const Clock::time_point start = Clock::now();
        if (world.rank() == 1) {
          std::this_thread::sleep_for(std::chrono::milliseconds(900));
          return;
        }
        const std::string text =
            ErrorText<CommError>([&] { world.Control().Receive(at::ones({1}), 1)->Wait(); });
        EXPECT_LT(SecondsSince(start), 0.8);
        EXPECT_THAT(text, HasSubstr("receive from rank 1: no answer within 0.3 s; rank 1 is"));
      },
      ShortTimeout());
}

TEST(Failure, ThrowingRankIsNotHeldByItsUnfinishedCollective) {
  test::RunRankProcesses(2, [](const RankIdentity& identity) {
    Clock::time_point thrown;
    try {
      const auto world = World::Join(identity, MeshLayout({2, 1, 1, 1, 1}), {});
      if (identity.rank == 0) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1500));
        return;
      }
      const WorkPtr work = world->Control().AllReduce(at::ones({1}));
      thrown = Clock::now();
      throw IoError("disk full");
    } catch (const IoError&) {
      EXPECT_LT(SecondsSince(thrown), 1);
    }
  });
}

TEST(FailureText, ListsOfRanksStayShort) {
  EXPECT_EQ(DescribeRanks({3}), "rank 3");
  EXPECT_EQ(DescribeRanks({0, 4}), "ranks 0,4");
  std::vector<int> many(64);
  for (int i = 0; i < 64; ++i) many[i] = i;
  EXPECT_EQ(DescribeRanks(many), "ranks 0,1,2,...,63 (64 in all)");
}

TEST(FailureText, ForeignErrorsLoseFramesAndSourceLines) {
  const std::vector<int> ranks{0, 1};
  const FailureText failure(MeshLayout({2, 1, 1, 1, 1}), 1, std::chrono::seconds(5));
  const auto text_of = [&](auto thrower) {
    return ErrorText<CommError>([&] { failure.Guard(Operation{"broadcast", ranks}, thrower); });
  };
  EXPECT_THAT(text_of([] { TORCH_CHECK(false, "bad dtype"); }),
              AllOf(HasSubstr("rank 1 (pp 1): broadcast over ranks 0,1: bad dtype"),
                    Not(HasSubstr("frame")), Not(HasSubstr("Exception raised"))));
  EXPECT_THAT(text_of([] { throw std::runtime_error("[/a/gloo/pair.cc:1] odd thing."); }),
              HasSubstr("ranks 0,1: odd thing"));
  EXPECT_TRUE(failure.HasFailed());
}

TEST(FailureText, OwnErrorsPassUnchanged) {
  const std::vector<int> ranks{0, 1};
  const FailureText failure(MeshLayout({2, 1, 1, 1, 1}), 1, std::chrono::seconds(5));
  EXPECT_THROW(failure.Guard(Operation{"send", ranks, 0}, [] { throw InternalError("x"); }),
               InternalError);
  EXPECT_FALSE(failure.HasFailed());
}

}  // namespace
}  // namespace hyperpp::comm

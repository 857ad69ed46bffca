#include "hyperpp/launch/signals.h"

#include <csignal>

#include <gtest/gtest.h>
#include <unistd.h>

#include "hyperpp/core/error.h"
#include "tests/support/program.h"
#include "tests/support/ranks.h"

namespace hyperpp::launch {
namespace {

TEST(StopRequest, SignalIsNotedOnceInstalled) {
  for (int number : {SIGTERM, SIGINT}) {
    const StopRequest stop;
    EXPECT_FALSE(stop.Requested());
    raise(number);
    raise(number);  // delivered twice
    EXPECT_TRUE(stop.Requested());
    EXPECT_EQ(stop.signal(), number);
  }
}

TEST(StopRequest, BlockedSignalIsTakenOver) {
  sigset_t blocked;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &blocked, nullptr);
  raise(SIGTERM);
  const StopRequest stop;
  EXPECT_TRUE(stop.Requested());
}

TEST(StopRequest, PreviousHandlersComeBack) {
  struct sigaction before {
  }, after{};
  sigaction(SIGTERM, nullptr, &before);
  { const StopRequest stop; }
  sigaction(SIGTERM, nullptr, &after);
  EXPECT_EQ(before.sa_handler, after.sa_handler);
}

TEST(StopRequest, SecondOneIsRefused) {
  const StopRequest stop;
  EXPECT_THROW(StopRequest(), InternalError);
}

TEST(StopRequest, LaterSignalEndsTheProcess) {
  test::RankOptions options;
  options.may_die = {0};
  test::RunRankProcesses(
      1,
      [](const comm::RankIdentity&) {
        const StopRequest stop;
        raise(SIGTERM);
        test::SleepMilliseconds(1100);
        raise(SIGTERM);
        ADD_FAILURE() << "the second signal was ignored";
      },
      options);
}

}  // namespace
}  // namespace hyperpp::launch

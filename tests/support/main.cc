// main() of tests that start ranks. The server is forked first, while this process has one thread.
#include <gmock/gmock.h>

#include "tests/support/rank_server.h"
#include "tests/support/rank_task.h"

int main(int argc, char** argv) {
  testing::InitGoogleMock(&argc, argv);
  if (!testing::GTEST_FLAG(list_tests)) {
    if (auto task = hyperpp::test::RankServer::Start()) hyperpp::test::BecomeRank(std::move(*task));
  }
  return RUN_ALL_TESTS();
}

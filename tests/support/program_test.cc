#include "tests/support/program.h"

#include <csignal>

#include <gmock/gmock.h>

namespace hyperpp::test {
namespace {

TEST(Program, ResultHasStatusAndOutput) {
  const ProgramResult result =
      RunProgram({"/bin/sh", "-c", "echo $WORD; echo bad >&2; exit 3"}, {"WORD=said"});
  EXPECT_EQ(result.status, 3);
  EXPECT_EQ(result.out, "said\n");
  EXPECT_EQ(result.err, "bad\n");
}

TEST(Program, IsKilledAtTheLimit) {
  const ProgramResult result = RunProgram({"/bin/sleep", "30"}, {}, std::chrono::milliseconds(100));
  EXPECT_TRUE(result.timed_out);
  EXPECT_EQ(result.signal, SIGKILL);
}

TEST(Program, DescendantsAreListed) {
  Program shell({"/bin/sh", "-c", "sleep 30 & wait"});
  EXPECT_TRUE(Eventually([&] { return LiveDescendants(shell.pid()).size() == 1; }));
  for (pid_t pid : LiveDescendants(shell.pid())) kill(pid, SIGKILL);
  EXPECT_TRUE(Eventually([&] { return LiveDescendants(shell.pid()).empty(); }));
}

}  // namespace
}  // namespace hyperpp::test

#include "hyperpp/launch/slurm.h"

#include <map>

#include <gmock/gmock.h>

#include "hyperpp/core/error.h"
#include "tests/launch/identity_of.h"

namespace hyperpp::launch {
namespace {

using testing::HasSubstr;

/// Task 6 of 7 in a step on two nodes of a job that asked for 16 tasks.
Variables Step() {
  return {{"SLURM_JOB_ID", "1234"},
          {"SLURM_NTASKS", "16"},
          {"SLURM_NPROCS", "16"},
          {"SLURM_NODELIST", "gpu[03-06]"},
          {"SLURM_STEP_ID", "2"},
          {"SLURM_STEP_NUM_TASKS", "7"},
          {"SLURM_STEP_NUM_NODES", "2"},
          {"SLURM_STEP_TASKS_PER_NODE", "4,3"},
          {"SLURM_STEP_NODELIST", "gpu[04-05]"},
          {"SLURM_PROCID", "6"},
          {"SLURM_LOCALID", "2"},
          {"SLURM_NODEID", "1"}};
}

TEST(Slurm, StepCountsGoBeforeJobCounts) {
  const auto identity = IdentityOf(Step());
  ASSERT_TRUE(identity);
  EXPECT_EQ(identity->rank, 6);
  EXPECT_EQ(identity->world_size, 7);
  EXPECT_EQ(identity->local_rank, 2);
  EXPECT_EQ(identity->local_world_size, 3);
  EXPECT_EQ(identity->master_address, "gpu04");
  EXPECT_GE(identity->master_port, 10000);
  EXPECT_LT(identity->master_port, 30000);
}

TEST(Slurm, StepsOfOneJobHaveDifferentPorts) {
  Variables other = Step();
  other["SLURM_STEP_ID"] = "3";
  EXPECT_NE(IdentityOf(Step())->master_port, IdentityOf(other)->master_port);
}

TEST(Slurm, GivenMasterIsUsed) {
  Variables step = Step();
  step["MASTER_ADDR"] = "10.0.0.7";
  step["MASTER_PORT"] = "4000";
  EXPECT_EQ(IdentityOf(step)->master_address, "10.0.0.7");
  EXPECT_EQ(IdentityOf(step)->master_port, 4000);
}

TEST(Slurm, StepOnOneNodeStaysOnLoopback) {
  Variables step = Step();
  step["SLURM_STEP_NUM_NODES"] = "1";
  EXPECT_EQ(IdentityOf(step)->master_address, "127.0.0.1");
  EXPECT_EQ(IdentityOf(step)->local_world_size, 7);
}

TEST(Slurm, BatchScriptAndAllocationShellAreNoRanks) {
  // sbatch sets the job's variables in the script, salloc in its shell.
  EXPECT_FALSE(IdentityOf({{"SLURM_JOB_ID", "1234"},
                           {"SLURM_NTASKS", "16"},
                           {"SLURM_PROCID", "0"},
                           {"SLURM_LOCALID", "0"}}));
  // An interactive step is one task.
  Variables interactive = Step();
  interactive["SLURM_STEP_NUM_TASKS"] = "1";
  EXPECT_FALSE(IdentityOf(interactive));
}

TEST(Slurm, ContradictionsAreNamed) {
  Variables step = Step();
  step["WORLD_SIZE"] = "16";
  EXPECT_THAT(ErrorOf(step), HasSubstr("WORLD_SIZE: is 16, but the Slurm step has 7 tasks"));
  step = Step();
  step.erase("SLURM_PROCID");
  EXPECT_THAT(ErrorOf(step), HasSubstr("SLURM_PROCID: not set"));
  step = Step();
  step["SLURM_STEP_TASKS_PER_NODE"] = "4";
  EXPECT_THAT(ErrorOf(step), HasSubstr("SLURM_STEP_TASKS_PER_NODE: '4'"));
}

TEST(Slurm, FirstHostOfANodeList) {
  EXPECT_EQ(FirstHost("gpu[03-05,9],login"), "gpu03");
  EXPECT_EQ(FirstHost("gpu[7,9]"), "gpu7");
  EXPECT_EQ(FirstHost("head,gpu[1-2]"), "head");
  EXPECT_EQ(FirstHost("alone"), "alone");
  EXPECT_EQ(FirstHost("rack[1-2]-ib,other"), "rack1-ib");
}

TEST(Slurm, TasksPerNodeWithRepetition) {
  EXPECT_EQ(TasksOnNode("4(x2),3", 0), 4);
  EXPECT_EQ(TasksOnNode("4(x2),3", 1), 4);
  EXPECT_EQ(TasksOnNode("4(x2),3", 2), 3);
  EXPECT_EQ(TasksOnNode("4(x2),3", 3), std::nullopt);
  EXPECT_EQ(TasksOnNode("", 0), std::nullopt);
}

}  // namespace
}  // namespace hyperpp::launch

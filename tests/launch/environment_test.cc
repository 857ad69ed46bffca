#include "hyperpp/launch/environment.h"

#include <map>

#include <gmock/gmock.h>

#include "hyperpp/core/error.h"
#include "hyperpp/launch/own_launcher.h"
#include "tests/launch/identity_of.h"

namespace hyperpp::launch {
namespace {

using testing::AllOf;
using testing::HasSubstr;

const Variables kTorchrun = {{"RANK", "5"},           {"WORLD_SIZE", "8"},
                             {"LOCAL_RANK", "1"},     {"LOCAL_WORLD_SIZE", "4"},
                             {"MASTER_ADDR", "head"}, {"MASTER_PORT", "29500"}};

Variables With(Variables variables, const Variables& changes) {
  for (const auto& [name, value] : changes) variables[name] = value;
  return variables;
}

Variables Without(Variables variables, const std::string& name) {
  variables.erase(name);
  return variables;
}

TEST(Environment, TorchrunVariablesAreRead) {
  const auto identity = IdentityOf(kTorchrun);
  ASSERT_TRUE(identity);
  EXPECT_EQ(identity->rank, 5);
  EXPECT_EQ(identity->world_size, 8);
  EXPECT_EQ(identity->local_rank, 1);
  EXPECT_EQ(identity->local_world_size, 4);
  EXPECT_EQ(identity->master_address, "head");
  EXPECT_EQ(identity->master_port, 29500);
  EXPECT_FALSE(identity->store_is_hosted);
}

TEST(Environment, TorchrunAgentHostsTheStore) {
  const auto identity = IdentityOf(With(
      kTorchrun, {{"TORCHELASTIC_USE_AGENT_STORE", "True"}, {"TORCHELASTIC_RESTART_COUNT", "2"}}));
  EXPECT_TRUE(identity->store_is_hosted);
  EXPECT_EQ(identity->attempt, 2);
}

TEST(Environment, NothingSetIsNoRank) {
  EXPECT_FALSE(IdentityOf({}));
  EXPECT_FALSE(
      IdentityOf({{"MASTER_ADDR", "head"}, {"MASTER_PORT", "29500"}, {"LOCAL_RANK", "0"}}));
}

TEST(Environment, MissingVariablesAreNamed) {
  for (const char* name : {"RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT"}) {
    EXPECT_THAT(ErrorOf(Without(kTorchrun, name)), HasSubstr(std::string(name) + ": not set"));
  }
  EXPECT_THAT(ErrorOf({{"WORLD_SIZE", "8"}}), HasSubstr("RANK: not set, WORLD_SIZE is 8"));
}

TEST(Environment, MalformedAndContradictingVariablesAreNamed) {
  EXPECT_THAT(ErrorOf(With(kTorchrun, {{"RANK", "five"}})), HasSubstr("RANK: 'five'"));
  EXPECT_THAT(ErrorOf(With(kTorchrun, {{"RANK", "-1"}})), HasSubstr("RANK: '-1'"));
  EXPECT_THAT(ErrorOf(With(kTorchrun, {{"WORLD_SIZE", "8x"}})), HasSubstr("WORLD_SIZE: '8x'"));
  EXPECT_THAT(ErrorOf(With(kTorchrun, {{"RANK", "8"}})),
              HasSubstr("RANK: 8 is out of range for WORLD_SIZE = 8"));
  EXPECT_THAT(ErrorOf(With(kTorchrun, {{"LOCAL_RANK", "4"}})),
              HasSubstr("LOCAL_RANK: 4 is out of range for LOCAL_WORLD_SIZE = 4"));
  EXPECT_THAT(ErrorOf(With(kTorchrun, {{"MASTER_PORT", "70000"}})),
              HasSubstr("MASTER_PORT: 70000"));
}

TEST(Environment, LocalPlaceDefaultsToOneHost) {
  const auto identity =
      IdentityOf({{"RANK", "1"}, {"WORLD_SIZE", "2"}, {"MASTER_ADDR", "a"}, {"MASTER_PORT", "1"}});
  EXPECT_EQ(identity->local_rank, 1);
  EXPECT_EQ(identity->local_world_size, 2);
}

TEST(Environment, RankVariablesGoBeforeSlurm) {
  const auto identity = IdentityOf(With(kTorchrun, {{"SLURM_STEP_ID", "0"},
                                                    {"SLURM_STEP_NUM_TASKS", "2"},
                                                    {"SLURM_PROCID", "1"},
                                                    {"SLURM_LOCALID", "0"}}));
  EXPECT_EQ(identity->rank, 5);
  EXPECT_EQ(identity->world_size, 8);
}

TEST(OwnLauncher, HandlesAreReadBackFromTheSameLauncherOnly) {
  const std::string value = PackHandles(4711, {5, 6});
  const auto handles = UnpackHandles(value, 4711);
  ASSERT_TRUE(handles);
  EXPECT_EQ(handles->report_descriptor, 5);
  EXPECT_EQ(handles->listen_descriptor, 6);
  EXPECT_FALSE(UnpackHandles(value, 4712));
  EXPECT_FALSE(UnpackHandles("nonsense", 4711));
}

}  // namespace
}  // namespace hyperpp::launch

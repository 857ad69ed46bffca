#include "hyperpp/checkpoint/save.h"

#include <chrono>
#include <filesystem>
#include <sys/wait.h>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include "hyperpp/checkpoint/durable_file.h"
#include "hyperpp/checkpoint/reader.h"
#include "hyperpp/checkpoint/step_folders.h"
#include "hyperpp/checkpoint/verify.h"
#include "hyperpp/core/error.h"
#include "tests/checkpoint/damage.h"
#include "tests/checkpoint/small_model.h"
#include "tests/checkpoint/thread_world.h"
#include "tests/support/error_text.h"
#include "tests/support/temporary_folder.h"

namespace hyperpp::checkpoint {
namespace {

namespace fs = std::filesystem;
using test::ErrorText;
using test::TemporaryFolder;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

std::vector<std::string> NamesIn(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder))
    names.push_back(entry.path().filename().string());
  return names;
}

/// First element of embed.weight: says which version was saved.
float FirstValue(const std::string& folder) {
  CheckpointReader reader(folder);
  return reader.ReadWhole("embed.weight", kParameter)[0][0].item<float>();
}

TEST(SaveTest, StepFolderHoldsShardAndManifestOnly) {
  const TemporaryFolder folder;
  EXPECT_EQ(SaveCheckpoint(nullptr, SmallRequest(folder / "c", 4)), folder / "c/step_4");
  EXPECT_THAT(NamesIn(folder / "c/step_4"),
              UnorderedElementsAre("shard_0.safetensors", "manifest.json"));
  EXPECT_THAT(NamesIn(folder / "c"), ElementsAre("step_4"));
}

TEST(SaveTest, ShardsOpenAsSafetensorsUnderParameterNames) {
  const TemporaryFolder folder;
  const std::string step = SaveSmall(folder.path(), 4, 2);
  const SafetensorsFile file(step + "/shard_1.safetensors");
  EXPECT_TRUE(file.View("embed.weight[3,0]")
                  .equal(SmallTensor(SmallOutline().parameters[0], kParameter).slice(0, 3)));
  EXPECT_TRUE(file.entries().contains("norm.weight@exp_avg_sq[2]"));
}

TEST(SaveTest, RankWithoutTensorsWritesNoShard) {
  const TemporaryFolder folder;
  // 3 rows of norm.weight, 5 and 6 rows of the others: the last of 7 ranks has nothing.
  const std::string step = SaveSmall(folder.path(), 1, 7);
  EXPECT_FALSE(fs::exists(step + "/shard_6.safetensors"));
  EXPECT_TRUE(fs::exists(step + "/shard_5.safetensors"));
  EXPECT_TRUE(VerifyCheckpoint(step).Passed());
}

TEST(SaveTest, SameStepAgainReplacesIt) {
  const TemporaryFolder folder;
  SaveSmall(folder.path(), 4, 3, 1);
  const float before = FirstValue(folder / "step_4");
  SaveSmall(folder.path(), 4, 2, 2);
  EXPECT_EQ(FirstValue(folder / "step_4"), before + 1);
  EXPECT_FALSE(fs::exists(folder / "step_4/shard_2.safetensors"));
  EXPECT_THAT(NamesIn(folder.path()), ElementsAre("step_4"));
}

TEST(SaveTest, InterruptedSaveIsInvisibleAndCleanedAtTheNext) {
  const TemporaryFolder folder;
  SaveSmall(folder.path(), 2);
  CheckpointWriter interrupted(folder.path(), 4, 0, 2);
  interrupted.Begin();
  interrupted.WriteShard(SmallShard(0, 2, AdamKinds()));
  EXPECT_EQ(NewestCheckpoint(folder.path())->step, 2);
  EXPECT_FALSE(interrupted.AllRanksWrote());
  SaveSmall(folder.path(), 6);
  EXPECT_THAT(NamesIn(folder.path()), UnorderedElementsAre("step_2", "step_6"));
}

TEST(SaveTest, KeepRemovesOldOnesAfterTheNewOneIsComplete) {
  const TemporaryFolder folder;
  for (int step = 1; step <= 4; ++step)
    SaveCheckpoint(nullptr, SmallRequest(folder.path(), step, 2));
  EXPECT_THAT(NamesIn(folder.path()), UnorderedElementsAre("step_3", "step_4"));
}

TEST(SaveTest, MissingRankIsNamed) {
  const TemporaryFolder folder;
  CheckpointWriter writer(folder.path(), 4, 0, 2);
  writer.Begin();
  writer.WriteShard(SmallShard(0, 2, AdamKinds()));
  EXPECT_THAT(ErrorText<IoError>([&] { writer.Commit(SmallState(4, 2), ""); }),
              HasSubstr("what rank 1 wrote"));
}

TEST(SaveTest, BoxesThatAreNotTheWholeModelAreADefect) {
  const TemporaryFolder folder;
  const auto error_of = [&](const std::vector<SavedTensor>& tensors) {
    CheckpointWriter writer(folder.path(), 4, 0, 1);
    writer.Begin();
    writer.WriteShard(tensors);
    return ErrorText<InternalError>([&] { writer.Commit(SmallState(4), ""); });
  };
  EXPECT_THAT(error_of(SmallShard(0, 2, AdamKinds())), HasSubstr("12 of 24 elements are there"));
  auto tensors = SmallShard(0, 1, {kParameter});
  tensors.push_back(tensors[0]);
  tensors.back().fqn = "stranger";
  EXPECT_THAT(error_of(tensors), HasSubstr("parameter of stranger is saved, but not"));
  tensors.resize(2);
  EXPECT_THAT(error_of(tensors), HasSubstr("parameter of norm.weight: 0 of 3 elements"));
  EXPECT_FALSE(NewestCheckpoint(folder.path()));
}

TEST(SaveTest, TokenizerFilesAreKeptAlong) {
  const TemporaryFolder folder;
  MakeFolder(folder / "hf");
  WriteFileDurably(folder / "hf/tokenizer.json", "{}");
  WriteFileDurably(folder / "hf/notes.txt", "no");
  SaveRequest request = SmallRequest(folder / "c", 4);
  request.source_directory = folder / "hf";
  SaveCheckpoint(nullptr, request);
  EXPECT_THAT(NamesIn(folder / "c/step_4/model"), ElementsAre("tokenizer.json"));
  EXPECT_TRUE(VerifyCheckpoint(folder / "c").Passed());
  FlipBit(folder / "c/step_4/model/tokenizer.json", 0);
  EXPECT_THAT(VerifyCheckpoint(folder / "c").problems,
              ElementsAre(HasSubstr("model/tokenizer.json, offset 0: checksum is")));
}

TEST(SaveTest, RanksTogetherMakeOneCheckpoint) {
  const TemporaryFolder folder;
  const auto errors = RunRanks(3, [&](ThreadWorld& world) {
    SaveRequest request = SmallRequest(folder.path(), 4);
    request.state.world_size = 3;
    request.tensors = SmallShard(world.rank(), 3, AdamKinds());
    SaveCheckpoint(&world, request);
  });
  EXPECT_THAT(errors, Each(""));
  EXPECT_TRUE(VerifyCheckpoint(folder.path()).Passed());
}

TEST(SaveTest, ErrorOnOneRankEndsTheSaveOnAllAndLeavesTheOneBefore) {
  const TemporaryFolder folder;
  SaveSmall(folder.path(), 2);
  const auto errors = RunRanks(3, [&](ThreadWorld& world) {
    SaveRequest request = SmallRequest(folder.path(), 4);
    request.tensors = SmallShard(world.rank(), 3, AdamKinds());
    if (world.rank() == 1) {
      // A folder where the shard should go stands for any failure to write.
      fs::create_directories(folder / "blocked");
      while (!fs::exists(folder / ".saving_step_4")) std::this_thread::yield();
      fs::create_directories(folder / ".saving_step_4/shard_1.safetensors.tmp");
    }
    SaveCheckpoint(&world, request);
  });
  EXPECT_THAT(errors, Each(HasSubstr("shard_1.safetensors: cannot create the file")));
  EXPECT_THAT(NamesIn(folder.path()), UnorderedElementsAre("step_2", "blocked"));
}

TEST(SaveTest, DirectoryBelowAFileIsAnIoError) {
  const TemporaryFolder folder;
  WriteFileDurably(folder / "plain", "");
  EXPECT_THAT(
      ErrorText<IoError>([&] { SaveCheckpoint(nullptr, SmallRequest(folder / "plain/c", 1)); }),
      HasSubstr("plain/c: cannot make the folder"));
}

/// Saves one step after the other in a child process until it is killed after `delay`.
void SaveUntilKilled(const std::string& directory, int64_t first_step,
                     std::chrono::microseconds delay) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(30);  // ends the child if this process is killed before it can
    for (int64_t step = first_step;; ++step)
      SaveCheckpoint(nullptr, SmallRequest(directory, step, 1));
  }
  std::this_thread::sleep_for(delay);
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
}

TEST(SaveTest, KillAtAnyMomentWithKeepOneLeavesALoadableCheckpoint) {
  const TemporaryFolder folder;
  const auto begin = std::chrono::steady_clock::now();
  for (int step = 0; step < 3; ++step)
    SaveCheckpoint(nullptr, SmallRequest(folder.path(), step, 1));
  const auto three_saves = std::chrono::duration_cast<std::chrono::microseconds>(
      std::chrono::steady_clock::now() - begin);
  int64_t last = 2;
  constexpr int kNumKills = 16;
  for (int attempt = 0; attempt < kNumKills; ++attempt) {
    SaveUntilKilled(folder.path(), last + 1, three_saves * (attempt + 1) / kNumKills);
    const auto newest = NewestCheckpoint(folder.path());
    ASSERT_TRUE(newest) << "attempt " << attempt;
    EXPECT_GE(newest->step, last);
    EXPECT_EQ(VerifyCheckpoint(newest->path).problems, std::vector<std::string>());
    last = newest->step;
  }
  EXPECT_GT(last, 2) << "the kills came too early to test anything";
  SaveCheckpoint(nullptr, SmallRequest(folder.path(), last + 1, 1));
  EXPECT_THAT(NamesIn(folder.path()), ElementsAre("step_" + std::to_string(last + 1)));
}

}  // namespace
}  // namespace hyperpp::checkpoint

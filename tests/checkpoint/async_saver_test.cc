#include "hyperpp/checkpoint/async_saver.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hyperpp/checkpoint/durable_file.h"
#include "hyperpp/checkpoint/reader.h"
#include "hyperpp/checkpoint/step_folders.h"
#include "hyperpp/checkpoint/verify.h"
#include "hyperpp/core/error.h"
#include "tests/checkpoint/small_model.h"
#include "tests/checkpoint/thread_world.h"
#include "tests/support/error_text.h"
#include "tests/support/program.h"
#include "tests/support/temporary_folder.h"

namespace hyperpp::checkpoint {
namespace {

namespace fs = std::filesystem;
using test::ErrorText;
using test::TemporaryFolder;
using ::testing::Each;
using ::testing::HasSubstr;

TEST(AsyncSaverTest, SavesTheValuesOfTheMomentOfStart) {
  const TemporaryFolder folder;
  AsyncSaver saver(nullptr);
  SaveRequest request = SmallRequest(folder.path(), 4);
  const at::Tensor expected = request.tensors[0].local.clone();
  saver.Start(request);
  request.tensors[0].local.zero_();
  saver.Finish();
  EXPECT_TRUE(VerifyCheckpoint(folder.path()).Passed());
  CheckpointReader reader(folder / "step_4");
  EXPECT_TRUE(reader.ReadWhole("embed.weight", kParameter).equal(expected));
}

TEST(AsyncSaverTest, NextStartFinishesTheOneBefore) {
  const TemporaryFolder folder;
  AsyncSaver saver(nullptr);
  for (int step = 1; step <= 5; ++step) saver.Start(SmallRequest(folder.path(), step, 2));
  EXPECT_EQ(NewestCheckpoint(folder.path())->step >= 4, true);
  saver.Finish();
  saver.Finish();
  EXPECT_EQ(FindCheckpoints(folder.path()).size(), 2u);
}

TEST(AsyncSaverTest, RanksTogetherMakeOneCheckpoint) {
  const TemporaryFolder folder;
  const auto errors = RunRanks(3, [&](ThreadWorld& world) {
    AsyncSaver saver(&world);
    for (int step : {2, 4}) {
      SaveRequest request = SmallRequest(folder.path(), step);
      request.tensors = SmallShard(world.rank(), 3, AdamKinds());
      saver.Start(request);
    }
    saver.Finish();
  });
  EXPECT_THAT(errors, Each(""));
  EXPECT_TRUE(VerifyCheckpoint(folder / "step_2").Passed());
  EXPECT_TRUE(VerifyCheckpoint(folder / "step_4").Passed());
}

TEST(AsyncSaverTest, ErrorOfOneRankSurfacesOnAllAtTheNextSave) {
  const TemporaryFolder folder;
  const auto errors = RunRanks(3, [&](ThreadWorld& world) {
    AsyncSaver saver(&world);
    SaveRequest request = SmallRequest(folder.path(), 4);
    request.tensors = SmallShard(world.rank(), 3, AdamKinds());
    if (world.rank() == 1) request.tensors[0].offsets[0] = 100;  // any error of the writing thread
    saver.Start(request);
    request.state.step = 6;
    saver.Start(request);
  });
  EXPECT_THAT(errors, Each(HasSubstr("parameter of embed.weight has the part [100:")));
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

TEST(AsyncSaverTest, FolderThatRanksDoNotShareIsReported) {
  const TemporaryFolder folder, elsewhere;
  fs::create_directory(elsewhere / ".saving_step_4");
  const auto errors = RunRanks(2, [&](ThreadWorld& world) {
    AsyncSaver saver(&world);
    SaveRequest request = SmallRequest((world.rank() == 0 ? folder : elsewhere).path(), 4);
    request.tensors = SmallShard(world.rank(), 2, AdamKinds());
    saver.Start(request);
    saver.Finish();
  });
  EXPECT_THAT(errors, Each(HasSubstr("rank 0 does not see what rank 1 wrote")));
}

TEST(AsyncSaverTest, FailureIsKnownBeforeFinish) {
  const TemporaryFolder folder;
  AsyncSaver saver(nullptr);
  SaveRequest request = SmallRequest(folder.path(), 4);
  saver.Start(request);
  saver.Finish();
  EXPECT_FALSE(saver.failed());
  request.tensors[0].offsets[0] = 100;  // any error of the writing thread
  saver.Start(request);
  EXPECT_TRUE(test::Eventually([&] { return saver.failed(); }));
  EXPECT_THROW(saver.Finish(), InternalError);
  EXPECT_FALSE(saver.failed());
}

TEST(AsyncSaverTest, CommitErrorSurfacesAndIsNotRepeated) {
  const TemporaryFolder folder;
  AsyncSaver saver(nullptr);
  SaveRequest request = SmallRequest(folder.path(), 4);
  request.tensors.pop_back();
  request.tensors.erase(request.tensors.begin());  // the model is not complete
  saver.Start(request);
  EXPECT_THAT(ErrorText<InternalError>([&] { saver.Finish(); }), HasSubstr("embed.weight"));
  saver.Finish();
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

TEST(AsyncSaverTest, EndWithoutFinishDoesNotWaitForRanksThatAreGone) {
  const TemporaryFolder folder;
  ThreadJob job(2);
  // Rank 1 agrees to begin and is gone before it writes.
  std::thread gone([&] { ThreadWorld(job, 1).Agree([] {}); });
  {
    ThreadWorld world(job, 0);
    AsyncSaver saver(&world);
    SaveRequest request = SmallRequest(folder.path(), 4);
    request.tensors = SmallShard(0, 2, AdamKinds());
    saver.Start(request);
  }
  gone.join();
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

}  // namespace
}  // namespace hyperpp::checkpoint

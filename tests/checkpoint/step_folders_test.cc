#include "hyperpp/checkpoint/step_folders.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hyperpp/checkpoint/durable_file.h"
#include "hyperpp/core/error.h"
#include "tests/support/error_text.h"
#include "tests/support/temporary_folder.h"

namespace hyperpp::checkpoint {
namespace {

namespace fs = std::filesystem;
using test::ErrorText;
using test::TemporaryFolder;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class StepFoldersTest : public ::testing::Test {
 protected:
  void Make(const std::string& name, bool complete = true) {
    MakeFolder(folder_ / name);
    if (complete) WriteFileDurably(folder_ / name / "manifest.json", "{}");
  }
  std::vector<int64_t> Steps() const {
    std::vector<int64_t> steps;
    for (const StepFolder& found : FindCheckpoints(folder_.path())) steps.push_back(found.step);
    return steps;
  }
  TemporaryFolder folder_;
};

TEST_F(StepFoldersTest, OnlyCompleteStepsAreFoundInNumericOrder) {
  for (const char* name : {"step_10", "step_9", "step_100", ".saving_step_200", "step_7x",
                           "step_007", "step_-1", "other", ".deleting_step_3"})
    Make(name);
  Make("step_300", false);
  WriteFileDurably(folder_ / "step_400", "a file");
  EXPECT_THAT(Steps(), ElementsAre(9, 10, 100));
  EXPECT_EQ(NewestCheckpoint(folder_.path())->path, folder_ / "step_100");
}

TEST_F(StepFoldersTest, MissingFolderHasNone) { EXPECT_FALSE(NewestCheckpoint(folder_ / "none")); }

TEST_F(StepFoldersTest, ReplacedFolderStandsInUntilTheNewOneIsThere) {
  Make(".replaced_step_4");
  EXPECT_THAT(Steps(), ElementsAre(4));
  CleanLeftovers(folder_.path());
  EXPECT_TRUE(fs::exists(folder_ / "step_4/manifest.json"));
  Make(".replaced_step_4");
  CleanLeftovers(folder_.path());
  EXPECT_FALSE(fs::exists(folder_ / ".replaced_step_4"));
  EXPECT_THAT(Steps(), ElementsAre(4));
}

TEST_F(StepFoldersTest, ResumeTakesAStepFolderOrItsParent) {
  Make("step_2");
  Make("step_4");
  EXPECT_EQ(ResolveResume(folder_ / "step_2"), folder_ / "step_2");
  EXPECT_EQ(ResolveResume(folder_.path()), folder_ / "step_4");
  EXPECT_EQ(ResolveResume(folder_ / ""), folder_ / "step_4");
  EXPECT_EQ(CheckpointBefore(folder_ / "step_4/")->path, folder_ / "step_2");
  EXPECT_FALSE(CheckpointBefore(folder_ / "step_2"));
}

TEST_F(StepFoldersTest, ResumeSaysWhatIsThereInstead) {
  EXPECT_THAT(ErrorText<InputError>([&] { ResolveResume(folder_ / "none"); }),
              HasSubstr("none: no such folder"));
  Make("step_4", false);
  EXPECT_THAT(ErrorText<InputError>([&] { ResolveResume(folder_.path()); }),
              HasSubstr("no complete step_N folder"));
}

TEST_F(StepFoldersTest, LeftoversAreRemovedAndNothingElse) {
  for (const char* name : {"step_1", ".saving_step_2", ".deleting_step_0", ".saving_notes", "mine"})
    Make(name);
  CleanLeftovers(folder_.path());
  EXPECT_FALSE(fs::exists(folder_ / ".saving_step_2"));
  EXPECT_FALSE(fs::exists(folder_ / ".deleting_step_0"));
  for (const char* name : {"step_1", ".saving_notes", "mine"})
    EXPECT_TRUE(fs::exists(folder_ / name)) << name;
}

TEST_F(StepFoldersTest, KeepCountsTheNewOneAndSparesLaterSteps) {
  for (const char* name : {"step_2", "step_4", "step_6", "step_8", "step_20"}) Make(name);
  RemoveOldCheckpoints(folder_.path(), 8, 0);
  EXPECT_THAT(Steps(), ElementsAre(2, 4, 6, 8, 20));
  RemoveOldCheckpoints(folder_.path(), 8, 3);
  EXPECT_THAT(Steps(), ElementsAre(4, 6, 8, 20));
  RemoveOldCheckpoints(folder_.path(), 8, 1);
  EXPECT_THAT(Steps(), ElementsAre(8, 20));
  RemoveOldCheckpoints(folder_.path(), 8, 5);
  EXPECT_THAT(Steps(), ElementsAre(8, 20));
}

}  // namespace
}  // namespace hyperpp::checkpoint

#include "hyperpp/checkpoint/publish_folder.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hyperpp/checkpoint/durable_file.h"
#include "hyperpp/core/error.h"
#include "tests/support/temporary_folder.h"

namespace hyperpp::checkpoint {
namespace {

namespace fs = std::filesystem;
using test::TemporaryFolder;

/// A folder with the one file "text".
std::string FolderWith(const std::string& path, const std::string& text) {
  MakeFolder(path);
  WriteFileDurably(path + "/text", text);
  return path;
}

class PublishFolderTest : public ::testing::TestWithParam<decltype(&PublishFolder)> {};

TEST_P(PublishFolderTest, ReplacesAFolderAsAWhole) {
  const TemporaryFolder parent;
  FolderWith(parent / "step_1", "old");
  WriteFileDurably(parent / "step_1/extra", "");
  GetParam()(FolderWith(parent / ".saving", "new"), parent / "step_1");
  EXPECT_EQ(ReadWholeFile(parent / "step_1/text"), "new");
  EXPECT_FALSE(fs::exists(parent / "step_1/extra"));
  EXPECT_EQ(std::distance(fs::directory_iterator(parent.path()), {}), 1);
}

INSTANTIATE_TEST_SUITE_P(BothWays, PublishFolderTest,
                         ::testing::Values(&PublishFolder, &PublishFolderByTwoRenames));

TEST_P(PublishFolderTest, LeftoverOfAnInterruptedReplacementIsNoObstacle) {
  const TemporaryFolder parent;
  FolderWith(parent / "step_1", "old");
  FolderWith(parent / ".replaced_step_1", "older");
  GetParam()(FolderWith(parent / ".saving", "new"), parent / "step_1");
  EXPECT_EQ(ReadWholeFile(parent / "step_1/text"), "new");
}

TEST(PublishFolderNameTest, FreeNameAndEmptyFolderAreTaken) {
  const TemporaryFolder parent;
  PublishFolder(FolderWith(parent / ".a", "1"), parent / "free");
  EXPECT_EQ(ReadWholeFile(parent / "free/text"), "1");
  MakeFolder(parent / "empty");
  PublishFolder(FolderWith(parent / ".a", "2"), parent / "empty");
  EXPECT_EQ(ReadWholeFile(parent / "empty/text"), "2");
}

TEST(PublishFolderNameTest, PlainFileInTheWayIsAnIoError) {
  const TemporaryFolder parent;
  WriteFileDurably(parent / "file", "");
  FolderWith(parent / ".a", "1");
  EXPECT_THROW(PublishFolder(parent / ".a", parent / "file"), IoError);
}

}  // namespace
}  // namespace hyperpp::checkpoint

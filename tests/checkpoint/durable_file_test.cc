#include "hyperpp/checkpoint/durable_file.h"

#include <csignal>
#include <filesystem>
#include <sys/resource.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hyperpp/core/error.h"
#include "tests/support/error_text.h"
#include "tests/support/temporary_folder.h"

namespace hyperpp::checkpoint {
namespace {

namespace fs = std::filesystem;
using test::ErrorText;
using test::TemporaryFolder;
using ::testing::HasSubstr;

TEST(DurableFileTest, AppearsOnlyWhenCommitted) {
  const TemporaryFolder folder;
  DurableFile file(folder / "a");
  file.Write("abc", 3);
  EXPECT_FALSE(fs::exists(folder / "a"));
  file.Commit();
  EXPECT_EQ(ReadWholeFile(folder / "a"), "abc");
}

TEST(DurableFileTest, AbandonedFileLeavesTheOldOneAndNothingElse) {
  const TemporaryFolder folder;
  WriteFileDurably(folder / "a", "old");
  { DurableFile(folder / "a").Write("new", 3); }
  EXPECT_EQ(ReadWholeFile(folder / "a"), "old");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), {}), 1);
}

// A limit on file sizes stands for a full disk: write(2) fails after a part in both cases.
TEST(DurableFileTest, FullDiskNamesFileAndReasonAndLeavesNothing) {
  const TemporaryFolder folder;
  rlimit before = {};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  auto* handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit small = before;
  small.rlim_cur = 1000;
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  const std::string text =
      ErrorText<IoError>([&] { WriteFileDurably(folder / "big", std::string(5000, 'x')); });
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_THAT(text, HasSubstr("big: cannot write: File too large"));
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

TEST(DurableFileTest, FolderBelowAFileIsAnIoError) {
  const TemporaryFolder folder;
  WriteFileDurably(folder / "plain", "");
  EXPECT_THAT(ErrorText<IoError>([&] { DurableFile(folder / "plain/a"); }),
              HasSubstr("plain/a: cannot create the file: Not a directory"));
  EXPECT_THAT(ErrorText<IoError>([&] { MakeFolder(folder / "plain/out"); }),
              HasSubstr("plain/out: cannot make the folder: Not a directory"));
}

TEST(DurableFileTest, MissingFileIsAnIoError) {
  EXPECT_THAT(ErrorText<IoError>([] { ReadWholeFile("/no-such/file"); }),
              HasSubstr("/no-such/file: cannot open: No such file"));
}

}  // namespace
}  // namespace hyperpp::checkpoint

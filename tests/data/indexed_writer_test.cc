#include "hyperpp/data/indexed_writer.h"

#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hyperpp/core/error.h"
#include "hyperpp/data/indexed_dataset.h"
#include "tests/data/data_files.h"
#include "tests/support/error_text.h"

namespace hyperpp::data {
namespace {

using test::ErrorText;
using ::testing::HasSubstr;

class IndexedWriterTest : public testing::DataFiles {
 protected:
  static size_t NumFiles(const std::string& folder) {
    return static_cast<size_t>(std::distance(std::filesystem::directory_iterator(folder), {}));
  }
};

TEST_F(IndexedWriterTest, FilesAreByteForByteThoseOfTheFormat) {
  const std::string expected = WriteIndexed<uint16_t>("expected", 8, {{1, 2}, {}, {300}});
  IndexedWriter writer(Path("written"), TokenType::kUint16);
  for (const std::vector<int32_t>& document : {std::vector<int32_t>{1, 2}, {}, {300}})
    writer.AddDocument(document);
  writer.Finish();
  EXPECT_EQ(test::FileText(Path("written.bin")), test::FileText(expected + ".bin"));
  EXPECT_EQ(test::FileText(Path("written.idx")), test::FileText(expected + ".idx"));
  EXPECT_EQ(writer.NumTokens(), 3);
}

TEST_F(IndexedWriterTest, NothingIsVisibleBeforeFinishOrLeftWithoutIt) {
  {
    IndexedWriter writer(Path("new/data"), TokenType::kInt32);
    writer.AddDocument(std::vector<int32_t>{1});
    EXPECT_FALSE(std::filesystem::exists(Path("new/data.bin")));
    EXPECT_FALSE(std::filesystem::exists(Path("new/data.idx")));
  }
  EXPECT_EQ(NumFiles(Path("new")), 0u);
}

TEST_F(IndexedWriterTest, OlderFilesStayUntilTheNewOnesAreComplete) {
  const std::string prefix = WriteCounting("data", 5);
  IndexedWriter writer(prefix, TokenType::kUint16);
  writer.AddDocument(std::vector<int32_t>{8, 9});
  EXPECT_EQ(IndexedDataset(prefix).NumTokens(), 5);
  writer.Finish();
  EXPECT_EQ(IndexedDataset(prefix).NumTokens(), 2);
}

TEST_F(IndexedWriterTest, UnwritableFolderIsNamed) {
  Write("file", "");
  EXPECT_THAT(ErrorText<IoError>([&] { IndexedWriter(Path("file/data"), TokenType::kInt32); }),
              HasSubstr("file/data.bin: cannot be written"));
}

TEST_F(IndexedWriterTest, FullDiskIsReported) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full";
  // The temporary file is a link to the device that is always full.
  std::filesystem::create_symlink("/dev/full",
                                  fmt::format("{}.unfinished-{}", Path("full"), getpid()));
  OutputFile file(Path("full"));
  const std::vector<int32_t> values(10, 1);
  file.WriteValues(std::span<const int32_t>(values));
  EXPECT_THAT(ErrorText<IoError>([&] { file.Flush(); }), HasSubstr("No space left"));
}

TEST_F(IndexedWriterTest, IdThatDoesNotFitTheTypeIsADefect) {
  IndexedWriter writer(Path("data"), TokenType::kUint16);
  EXPECT_THROW(writer.AddDocument(std::vector<int32_t>{65536}), InternalError);
}

}  // namespace
}  // namespace hyperpp::data

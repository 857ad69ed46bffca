#include "hyperpp/checkpoint/safetensors_writer.h"

#include <filesystem>

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "hyperpp/core/error.h"
#include "tests/support/temporary_folder.h"

namespace hyperpp::checkpoint {
namespace {

using test::TemporaryFolder;

TEST(SafetensorsWriterTest, EntriesSayWhereTheBytesAre) {
  const TemporaryFolder folder;
  SafetensorsWriter writer(folder / "m", {{"a", at::kFloat, {3}}, {"b", at::kBFloat16, {2}}}, {});
  writer.Append(at::ones({3}));
  writer.Append(at::ones({2}).to(at::kBFloat16));
  const uint64_t size = writer.Finish();
  EXPECT_EQ(size, std::filesystem::file_size(folder / "m"));
  const SafetensorsFile file(folder / "m");
  EXPECT_EQ(writer.entries()[0].begin % 8, 0u);
  EXPECT_EQ(writer.entries()[0].begin, file.entries().at("a").begin);
  EXPECT_EQ(writer.entries()[1].end, file.entries().at("b").end);
}

TEST(SafetensorsWriterTest, UnfinishedFileLeavesNothing) {
  const TemporaryFolder folder;
  {
    SafetensorsWriter writer(folder / "m", {{"a", at::kFloat, {3}}}, {});
    EXPECT_THROW(writer.Finish(), InternalError);
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(SafetensorsWriterTest, AnotherTensorThanAnnouncedIsADefect) {
  const TemporaryFolder folder;
  SafetensorsWriter writer(folder / "m", {{"a", at::kFloat, {3}}}, {});
  EXPECT_THROW(writer.Append(at::ones({4})), InternalError);
  EXPECT_THROW(writer.Append(at::ones({3}).to(at::kDouble)), InternalError);
  writer.Append(at::ones({3}));
  EXPECT_THROW(writer.Append(at::ones({3})), InternalError);
}

TEST(SafetensorsWriterTest, NameTwiceIsADefect) {
  const TemporaryFolder folder;
  EXPECT_THROW(WriteSafetensors(folder / "m", {{"a", at::ones({1})}, {"a", at::ones({1})}}, {}),
               InternalError);
}

}  // namespace
}  // namespace hyperpp::checkpoint

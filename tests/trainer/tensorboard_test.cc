#include "hyperpp/trainer/tensorboard.h"

#include <cstring>
#include <filesystem>

#include <gtest/gtest.h>

#include "hyperpp/core/error.h"
#include "tests/support/temporary_folder.h"

namespace hyperpp::trainer {
namespace {

std::string ReadOnlyFileOf(const test::TemporaryFolder& folder) {
  return test::FileText(std::filesystem::directory_iterator(folder.path())->path());
}

// Lengths of the records of a TFRecord stream; fails the test where the framing does not add up.
std::vector<std::string> Records(const std::string& bytes) {
  std::vector<std::string> records;
  std::size_t at = 0;
  while (at + 12 <= bytes.size()) {
    uint64_t length = 0;
    std::memcpy(&length, bytes.data() + at, 8);
    EXPECT_LE(at + 16 + length, bytes.size());
    records.push_back(bytes.substr(at + 12, length));
    at += 16 + length;
  }
  EXPECT_EQ(at, bytes.size());
  return records;
}

TEST(TensorBoardTest, FileStartsWithItsVersionAndHoldsScalarsByName) {
  const test::TemporaryFolder folder;
  TensorBoardWriter(folder.path())
      .Write(7, {{"step", 7}, {"loss", 1.5}, {"evaluation_loss", nullptr}});
  const auto records = Records(ReadOnlyFileOf(folder));
  ASSERT_EQ(records.size(), 2U);
  EXPECT_NE(records[0].find("brain.Event:2"), std::string::npos);
  // Summary value: field 1 tag "loss", then field 2 as a little-endian float 1.5.
  EXPECT_NE(records[1].find(std::string("\x0a\x04loss\x15\x00\x00\xc0\x3f", 11)),
            std::string::npos);
  EXPECT_EQ(records[1].find("evaluation_loss"), std::string::npos);
}

TEST(TensorBoardTest, ChecksumsAreMaskedCastagnoli) {
  const test::TemporaryFolder folder;
  TensorBoardWriter{folder.path()};
  const std::string bytes = ReadOnlyFileOf(folder);
  // CRC-32C of the bytes 18 00 00 00 00 00 00 00, rotated and offset as TFRecord does; computed
  // apart.
  uint64_t length = 0;
  uint32_t checksum = 0;
  std::memcpy(&length, bytes.data(), 8);
  std::memcpy(&checksum, bytes.data() + 8, 4);
  EXPECT_EQ(length, 24U);
  EXPECT_EQ(checksum, 0x224b7fa3U);
}

TEST(TensorBoardTest, FolderThatCannotBeMadeIsReported) {
  EXPECT_THROW(TensorBoardWriter("/proc/no/such"), IoError);
}

}  // namespace
}  // namespace hyperpp::trainer

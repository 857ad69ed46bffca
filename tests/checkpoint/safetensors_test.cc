#include "hyperpp/checkpoint/safetensors.h"

#include <fstream>

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hyperpp/checkpoint/durable_file.h"
#include "hyperpp/core/error.h"
#include "tests/support/error_text.h"
#include "tests/support/temporary_folder.h"

namespace hyperpp::checkpoint {
namespace {

using test::ErrorText;
using test::TemporaryFolder;
using ::testing::AllOf;
using ::testing::HasSubstr;

void WriteBytes(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

TEST(SafetensorsTest, RoundTripKeepsEveryDtypeShapeAndBit) {
  const TemporaryFolder folder;
  std::vector<NamedTensor> tensors;
  for (at::ScalarType dtype : {at::kFloat, at::kBFloat16, at::kHalf, at::kDouble, at::kLong,
                               at::kInt, at::kShort, at::kByte, at::kChar, at::kBool})
    tensors.emplace_back(c10::toString(dtype), (at::arange(6).view({2, 3}) - 2).to(dtype));
  tensors.emplace_back("scalar", at::scalar_tensor(3.5));
  tensors.emplace_back("empty", at::empty({0, 4}));
  tensors.emplace_back("transposed", at::arange(6).to(at::kFloat).view({2, 3}).t());
  WriteSafetensors(folder / "m.safetensors", tensors, {{"format", "pt"}});

  const SafetensorsFile file(folder / "m.safetensors");
  EXPECT_EQ(file.metadata().at("format"), "pt");
  EXPECT_EQ(file.entries().size(), tensors.size());
  for (const auto& [name, tensor] : tensors) {
    EXPECT_EQ(file.View(name).scalar_type(), tensor.scalar_type()) << name;
    EXPECT_TRUE(file.View(name).equal(tensor)) << name;
  }
}

TEST(SafetensorsTest, ViewsAreNoCopies) {
  const TemporaryFolder folder;
  WriteSafetensors(folder / "m.safetensors", {{"a", at::ones({4})}}, {});
  const SafetensorsFile file(folder / "m.safetensors");
  EXPECT_EQ(file.View("a").const_data_ptr(), file.View("a").const_data_ptr());
}

TEST(SafetensorsTest, UnalignedDataIsReadRight) {
  const TemporaryFolder folder;
  std::string text = R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})";
  while ((8 + text.size()) % 4 != 1) text += ' ';
  std::string bytes(8, '\0');
  bytes[0] = static_cast<char>(text.size());
  const float values[2] = {1.5F, -2.0F};
  bytes += text + std::string(reinterpret_cast<const char*>(values), 8);
  WriteBytes(folder / "odd", bytes);
  EXPECT_TRUE(SafetensorsFile(folder / "odd").View("a").equal(at::tensor({1.5F, -2.0F})));
}

TEST(SafetensorsTest, EveryTruncationIsACleanError) {
  const TemporaryFolder folder;
  WriteSafetensors(folder / "m", {{"a", at::ones({3, 2})}, {"b", at::ones({5}).to(at::kBFloat16)}},
                   {{"format", "pt"}});
  const std::string bytes = ReadWholeFile(folder / "m");
  for (size_t size = 0; size < bytes.size(); ++size) {
    WriteBytes(folder / "cut", bytes.substr(0, size));
    EXPECT_THAT(ErrorText<InputError>([&] { SafetensorsFile(folder / "cut"); }),
                AllOf(HasSubstr("cut, offset "), HasSubstr("; the file is")))
        << size << " of " << bytes.size() << " bytes";
  }
}

TEST(SafetensorsTest, BytesAtTheEndAreReported) {
  const TemporaryFolder folder;
  WriteSafetensors(folder / "m", {{"a", at::ones({3, 2})}}, {});
  WriteBytes(folder / "long", ReadWholeFile(folder / "m") + "xyz");
  EXPECT_THAT(ErrorText<InputError>([&] { SafetensorsFile(folder / "long"); }),
              HasSubstr("3 bytes after the last tensor"));
}

// No byte of the header can change without an error or another valid table: never a crash.
TEST(SafetensorsTest, EveryDamagedHeaderByteIsSurvived) {
  const TemporaryFolder folder;
  WriteSafetensors(folder / "m", {{"a", at::ones({3, 2})}, {"b", at::ones({5})}}, {});
  const std::string bytes = ReadWholeFile(folder / "m");
  int num_errors = 0;
  for (size_t i = 0; i + 44 < bytes.size(); ++i) {
    for (char value : {'9', '"'}) {
      std::string damaged = bytes;
      damaged[i] = value;
      WriteBytes(folder / "damaged", damaged);
      try {
        const SafetensorsFile file(folder / "damaged");
        for (const auto& [name, entry] : file.entries()) file.View(name).sum();
      } catch (const InputError&) {
        ++num_errors;
      }
    }
  }
  EXPECT_GT(num_errors, 200);
}

TEST(SafetensorsTest, AbsurdHeaderLengthAllocatesNothing) {
  const TemporaryFolder folder;
  WriteBytes(folder / "m", std::string("\0\0\0\0\0\0\0\x10", 8) + "{}");
  EXPECT_THAT(ErrorText<InputError>([&] { SafetensorsFile(folder / "m"); }),
              HasSubstr("header length is 1152921504606846976"));
  WriteBytes(folder / "m", std::string("\x03\0\0\0\0\0\0\0", 8) + "{}");
  EXPECT_THAT(ErrorText<InputError>([&] { SafetensorsFile(folder / "m"); }),
              HasSubstr("header length is 3, but only 2 bytes follow"));
}

TEST(SafetensorsTest, MissingFileAndFolderAreIoErrors) {
  const TemporaryFolder folder;
  EXPECT_THAT(ErrorText<IoError>([&] { SafetensorsFile(folder / "none"); }),
              HasSubstr("none: cannot open: No such file"));
  EXPECT_THAT(ErrorText<IoError>([&] { SafetensorsFile file(folder.path()); }),
              HasSubstr("Is a directory"));
}

}  // namespace
}  // namespace hyperpp::checkpoint

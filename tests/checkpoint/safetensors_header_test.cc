#include "hyperpp/checkpoint/safetensors_header.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hyperpp/core/error.h"
#include "tests/support/error_text.h"

namespace hyperpp::checkpoint {
namespace {

using test::ErrorText;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

/// The error of a header in front of `data_bytes` bytes of data.
std::string ErrorOf(const std::string& header, uint64_t data_bytes = 8) {
  return ErrorText<InputError>(
      [&] { ParseSafetensorsHeader("m.safetensors", header, 8 + header.size() + data_bytes); });
}

TEST(SafetensorsHeaderTest, ReadsEntriesAndMetadata) {
  const std::string text =
      R"({"__metadata__":{"format":"pt"},"b":{"dtype":"BF16","shape":[2],"data_offsets":[4,8]},)"
      R"("a":{"dtype":"F32","shape":[],"data_offsets":[0,4]},)"
      R"("empty":{"dtype":"F32","shape":[0,3],"data_offsets":[4,4]}} )";
  const auto header = ParseSafetensorsHeader("m", text, 8 + text.size() + 8);
  EXPECT_EQ(header.metadata.at("format"), "pt");
  EXPECT_EQ(header.entries.size(), 3u);
  EXPECT_EQ(header.entries.at("b").begin, 8 + text.size() + 4);
  EXPECT_EQ(header.entries.at("b").dtype, at::kBFloat16);
}

TEST(SafetensorsHeaderTest, BadJsonIsReportedWithItsPlace) {
  EXPECT_THAT(ErrorOf("{\"a\": \xff}"),
              AllOf(StartsWith("m.safetensors, offset 14: "), HasSubstr("not valid JSON")));
  EXPECT_THAT(ErrorOf(""), HasSubstr("not valid JSON"));
  EXPECT_THAT(ErrorOf("[1]"), HasSubstr("not a JSON object"));
}

TEST(SafetensorsHeaderTest, DeepNestingIsRefused) {
  const std::string deep(1000000, '[');
  EXPECT_THAT(ErrorOf("{\"a\":" + deep), HasSubstr("nested more than 3 deep"));
}

TEST(SafetensorsHeaderTest, NameTwiceIsRefusedAtAnyLevel) {
  EXPECT_THAT(ErrorOf(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},)"
                      R"("a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})"),
              HasSubstr("the name \"a\" twice"));
  EXPECT_THAT(ErrorOf(R"({"a":{"dtype":"F32","dtype":"F32","shape":[2],"data_offsets":[0,8]}})"),
              HasSubstr("the name \"dtype\" twice"));
}

TEST(SafetensorsHeaderTest, UnknownDtypeIsNamed) {
  EXPECT_THAT(ErrorOf(R"({"a":{"dtype":"F4","shape":[2],"data_offsets":[0,8]}})"),
              AllOf(HasSubstr("offset 9: "), HasSubstr("unknown dtype 'F4'"), HasSubstr("BF16")));
}

TEST(SafetensorsHeaderTest, MissingAndMistypedMembersAreRefused) {
  EXPECT_THAT(ErrorOf(R"({"a":{"shape":[2],"data_offsets":[0,8]}})"), HasSubstr("no valid dtype"));
  EXPECT_THAT(ErrorOf(R"({"a":{"dtype":"F32","shape":2,"data_offsets":[0,8]}})"),
              HasSubstr("no valid shape"));
  EXPECT_THAT(ErrorOf(R"({"a":{"dtype":"F32","shape":[2]}})"), HasSubstr("no valid data_offsets"));
  EXPECT_THAT(ErrorOf(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0]}})"),
              HasSubstr("has 1 numbers"));
  EXPECT_THAT(ErrorOf(R"({"a":7})"), HasSubstr("no valid dtype"));
  EXPECT_THAT(ErrorOf(R"({"__metadata__":{"a":1}})"), HasSubstr("not a string"));
}

TEST(SafetensorsHeaderTest, ImpossibleShapesAreRefused) {
  EXPECT_THAT(ErrorOf(R"({"a":{"dtype":"F32","shape":[-1],"data_offsets":[0,8]}})"),
              HasSubstr("holds -1"));
  EXPECT_THAT(ErrorOf(R"({"a":{"dtype":"F32","shape":[1.5],"data_offsets":[0,8]}})"),
              HasSubstr("holds 1.5"));
  EXPECT_THAT(ErrorOf(R"({"a":{"dtype":"F32","shape":[18446744073709551615],)"
                      R"("data_offsets":[0,8]}})"),
              HasSubstr("expected an integer"));
  EXPECT_THAT(ErrorOf(R"({"a":{"dtype":"F32","shape":[4611686018427387904,4611686018427387904],)"
                      R"("data_offsets":[0,8]}})"),
              HasSubstr("overflows"));
}

TEST(SafetensorsHeaderTest, RangeMustMatchTheShape) {
  EXPECT_THAT(ErrorOf(R"({"a":{"dtype":"F32","shape":[3],"data_offsets":[0,8]}})"),
              HasSubstr("0 to 8, but F32 [3] needs 12 bytes"));
  EXPECT_THAT(ErrorOf(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[8,0]}})"),
              HasSubstr("8 to 0"));
}

TEST(SafetensorsHeaderTest, TensorsMustTileTheData) {
  EXPECT_THAT(ErrorOf(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},)"
                      R"("b":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})"),
              HasSubstr("b overlaps the tensor before it by 4 bytes"));
  EXPECT_THAT(ErrorOf(R"({"b":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})"),
              HasSubstr("4 bytes before b belong to no tensor"));
  EXPECT_THAT(ErrorOf(R"({"b":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})"),
              HasSubstr("4 bytes after the last tensor"));
  EXPECT_THAT(ErrorOf(R"({"b":{"dtype":"F32","shape":[3],"data_offsets":[0,12]}})"),
              HasSubstr("the file ends here, but b has the byte range 0 to 12"));
}

}  // namespace
}  // namespace hyperpp::checkpoint

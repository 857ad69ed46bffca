#include "hyperpp/data/indexed_dataset.h"

#include <cstdint>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hyperpp/core/error.h"
#include "tests/data/data_files.h"
#include "tests/support/error_text.h"

namespace hyperpp::data {
namespace {

using test::ErrorText;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class IndexedDatasetTest : public testing::DataFiles {
 protected:
  static std::vector<int32_t> All(const IndexedDataset& data) {
    std::vector<int32_t> tokens(static_cast<size_t>(data.NumTokens()));
    data.Read(0, tokens);
    return tokens;
  }

  template <typename T>
  void ExpectReadable(uint8_t code, const char* name) {
    const IndexedDataset data(WriteIndexed<T>(name, code, {{1, 2, 3}, {100}}));
    EXPECT_THAT(All(data), ElementsAre(1, 2, 3, 100)) << name;
    EXPECT_EQ(Name(data.type()), name);
  }

  std::string OpenError(const std::string& path) {
    return ErrorText<InputError>([&] { IndexedDataset data(path); });
  }

  // The error after `bytes` replace those at `offset` of a good index of two sequences.
  std::string ErrorWith(size_t offset, const std::string& bytes) {
    const std::string prefix = WriteIndexed<int32_t>("changed", 4, {{1, 2, 3}, {4}});
    std::string idx = test::FileText(prefix + ".idx");
    idx.replace(offset, bytes.size(), bytes);
    Write("changed.idx", idx);
    return OpenError(prefix);
  }
};

TEST_F(IndexedDatasetTest, EveryIntegerTypeIsRead) {
  ExpectReadable<uint8_t>(1, "uint8");
  ExpectReadable<int8_t>(2, "int8");
  ExpectReadable<int16_t>(3, "int16");
  ExpectReadable<int32_t>(4, "int32");
  ExpectReadable<int64_t>(5, "int64");
  ExpectReadable<uint16_t>(8, "uint16");
}

TEST_F(IndexedDatasetTest, PathMayNameThePrefixOrEitherFile) {
  const std::string prefix = WriteCounting("data", 5);
  for (const char* ending : {"", ".bin", ".idx"})
    EXPECT_EQ(IndexedDataset(prefix + ending).NumTokens(), 5) << ending;
}

TEST_F(IndexedDatasetTest, DocumentsAndSequencesAreCounted) {
  const IndexedDataset data(WriteIndexed<uint16_t>("data", 8, {{1, 2}, {}, {3, 4, 5}}));
  EXPECT_EQ(data.NumDocuments(), 3);
  EXPECT_EQ(data.NumSequences(), 3);
  EXPECT_EQ(data.SequenceLength(1), 0);
  EXPECT_EQ(data.SequenceLength(2), 3);
  EXPECT_EQ(data.DocumentStart(3), 3);
}

TEST_F(IndexedDatasetTest, EveryTruncationOfTheIndexIsReported) {
  const std::string prefix = WriteIndexed<uint16_t>("cut", 8, {{1, 2}, {3, 4, 5}});
  const std::string idx = test::FileText(prefix + ".idx");
  for (size_t size = 0; size < idx.size(); ++size) {
    Write("cut.idx", idx.substr(0, size));
    EXPECT_THAT(OpenError(prefix), HasSubstr("cut.idx")) << "after " << size << " bytes";
  }
  Write("cut.idx", idx);
  EXPECT_EQ(IndexedDataset(prefix).NumTokens(), 5);
}

TEST_F(IndexedDatasetTest, EveryTruncationOfTheTokensIsReported) {
  const std::string prefix = WriteIndexed<uint16_t>("torn", 8, {{1, 2}, {3, 4, 5}});
  const std::string bin = test::FileText(prefix + ".bin");
  for (size_t size = 0; size < bin.size(); ++size) {
    Write("torn.bin", bin.substr(0, size));
    EXPECT_THAT(OpenError(prefix), AllOf(HasSubstr("torn.bin: has " + std::to_string(size)),
                                         HasSubstr("5 tokens of 2 bytes = 10")));
  }
}

TEST_F(IndexedDatasetTest, BytesAfterTheEndAreReported) {
  const std::string prefix = WriteCounting("long", 4);
  Write("long.bin", test::FileText(prefix + ".bin") + "1234");
  EXPECT_THAT(OpenError(prefix), HasSubstr("long.bin: has 20 bytes"));
  WriteCounting("long", 4);
  Write("long.idx", test::FileText(prefix + ".idx") + "12");
  EXPECT_THAT(OpenError(prefix), HasSubstr("long.idx: has 64 bytes"));
}

TEST_F(IndexedDatasetTest, MultimodalIndexIsRefusedByName) {
  const std::string prefix = WriteCounting("images", 4);
  Write("images.idx", test::FileText(prefix + ".idx") + std::string(1, '\0'));
  EXPECT_THAT(OpenError(prefix), HasSubstr("multimodal"));
}

TEST_F(IndexedDatasetTest, EmptyFilesAreReported) {
  Write("empty.bin", "");
  Write("empty.idx", "");
  EXPECT_THAT(OpenError(Path("empty")), HasSubstr("empty.idx: is empty (0 bytes)"));
}

TEST_F(IndexedDatasetTest, MissingFilesAreTheUsersMistake) {
  EXPECT_THAT(OpenError(Path("nowhere")), HasSubstr("nowhere.idx: no such file"));
  std::filesystem::remove(WriteCounting("half", 4) + ".bin");
  EXPECT_THAT(OpenError(Path("half")), HasSubstr("half.bin: no such file"));
}

TEST_F(IndexedDatasetTest, WrongMagicVersionAndTypeAreNamedWithTheirOffset) {
  EXPECT_THAT(ErrorWith(0, "TNTIDX"), HasSubstr("offset 0: does not begin with MMIDIDX"));
  EXPECT_THAT(ErrorWith(9, Bytes(uint64_t{2})), HasSubstr("offset 9: version is 2, expected 1"));
  EXPECT_THAT(ErrorWith(17, Bytes(uint8_t{7})), HasSubstr("code is 7 (a float type)"));
  EXPECT_THAT(ErrorWith(17, Bytes(uint8_t{0})), HasSubstr("code is 0, expected"));
}

TEST_F(IndexedDatasetTest, AbsurdCountsAreRefusedBeforeTheyAreUsed) {
  EXPECT_THAT(ErrorWith(18, Bytes(~uint64_t{0})),
              HasSubstr("offset 18: says 18446744073709551615"));
  EXPECT_THAT(ErrorWith(26, Bytes(uint64_t{1} << 62)), HasSubstr("offset 26: says"));
  EXPECT_THAT(ErrorWith(18, Bytes(uint64_t{3})),
              HasSubstr("3 sequences and 3 document boundaries"));
}

TEST_F(IndexedDatasetTest, LengthsPointersAndBoundariesMustAgree) {
  EXPECT_THAT(ErrorWith(34, Bytes(int32_t{-1})),
              HasSubstr("offset 34: length of sequence 0 is -1"));
  EXPECT_THAT(ErrorWith(34, Bytes(int32_t{2})),
              HasSubstr("offset 50: sequence 1 starts at byte 12"));
  EXPECT_THAT(ErrorWith(38, Bytes(int32_t{9})), HasSubstr("changed.bin: has 16 bytes"));
  EXPECT_THAT(ErrorWith(58, Bytes(int64_t{1})),
              HasSubstr("offset 58: document boundary 0 of 3 is 1"));
  EXPECT_THAT(ErrorWith(66, Bytes(int64_t{5})), HasSubstr("boundary 1 of 3 is 5"));
  EXPECT_THAT(ErrorWith(66, Bytes(int64_t{-1})), HasSubstr("boundary 1 of 3 is -1"));
  EXPECT_THAT(ErrorWith(74, Bytes(int64_t{1})), HasSubstr("boundary 2 of 3 is 1"));
}

TEST_F(IndexedDatasetTest, TokensOutsideTheVocabularyAreFoundInAnyType) {
  const auto check = [](const IndexedDataset& data, int64_t vocab_size) {
    const auto found = data.FindOutside(vocab_size);
    return found ? fmt::format("{} at {}", found->id, found->offset) : "none";
  };
  EXPECT_EQ(check(IndexedDataset(WriteIndexed<int32_t>("a", 4, {{95, 96, -1}})), 96), "96 at 1");
  EXPECT_EQ(check(IndexedDataset(WriteIndexed<int16_t>("b", 3, {{0, -7}})), 70000), "-7 at 1");
  EXPECT_EQ(check(IndexedDataset(WriteIndexed<int8_t>("c", 2, {{127}, {-128}})), 128), "-128 at 1");
  EXPECT_EQ(check(IndexedDataset(WriteIndexed<uint16_t>("d", 8, {{65535}})), 65536), "none");
  EXPECT_EQ(check(IndexedDataset(WriteIndexed<uint16_t>("d", 8, {{65535}})), 65535), "65535 at 0");
  EXPECT_EQ(check(IndexedDataset(WriteIndexed<int64_t>("e", 5, {{3, int64_t{1} << 40}})), 96),
            "1099511627776 at 1");
}

TEST_F(IndexedDatasetTest, ScansReachTheLastTokenOfLargeFiles) {
  std::vector<uint16_t> tokens(5'000'001, 7);
  tokens.back() = 9;
  const IndexedDataset data(WriteIndexed<uint16_t>("large", 8, {tokens}));
  ASSERT_TRUE(data.FindOutside(9));
  EXPECT_EQ(data.FindOutside(9)->offset, 5'000'000);
  EXPECT_TRUE(data.Contains(9));
  EXPECT_FALSE(data.Contains(8));
  EXPECT_FALSE(data.Contains(65536 + 7));
  EXPECT_EQ(data.Range().smallest, 7);
  EXPECT_EQ(data.Range().largest, 9);
}

}  // namespace
}  // namespace hyperpp::data

#include "hyperpp/data/prepare.h"

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
using ::testing::AllOf;
using testing::ByteIds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class PrepareTest : public testing::DataFiles {
 protected:
  PrepareResult Prepare(const std::vector<std::string>& inputs,
                        const Tokenizer& tokenizer = ByteIds(),
                        std::optional<int64_t> eos = std::nullopt) {
    return PrepareIndexed(inputs, Path("out"), tokenizer, eos);
  }
  std::string PrepareError(const std::string& name, const std::string& content) {
    return ErrorText<InputError>([&] { Prepare({Write(name, content)}); });
  }
};

TEST_F(PrepareTest, TextFilesBecomeDocumentsWithTheirEnds) {
  const PrepareResult result =
      Prepare({Write("0.txt", "ab"), Write("1.txt", ""), Write("2.txt", "\xc3\xbc")});
  EXPECT_EQ(result.num_documents, 2);
  EXPECT_EQ(result.num_empty_documents, 1);
  EXPECT_EQ(result.num_tokens, 6);
  const IndexedDataset data(Path("out"));
  EXPECT_EQ(data.type(), TokenType::kUint16);
  EXPECT_EQ(data.NumDocuments(), 2);
  EXPECT_EQ(data.SequenceLength(0), 3);
  std::vector<int32_t> tokens(6);
  data.Read(0, tokens);
  EXPECT_THAT(tokens, ElementsAre('a', 'b', 256, 0xc3, 0xbc, 256));
}

TEST_F(PrepareTest, LinesOfAJsonlFileAreDocuments) {
  const PrepareResult result = Prepare({Write(
      "a.jsonl", "{\"text\": \"a\", \"id\": 1}\n{\"text\": \"\"}\n\n{\"text\": \"b\\nc\"}\n")});
  EXPECT_EQ(result.num_documents, 2);
  EXPECT_EQ(result.num_empty_documents, 1);
  EXPECT_EQ(IndexedDataset(Path("out")).SequenceLength(1), 4);
}

TEST_F(PrepareTest, MalformedLinesAreNamedAndNothingIsWritten) {
  EXPECT_THAT(PrepareError("a.jsonl", "{\"text\": \"a\"}\n{\"text\": \n"),
              HasSubstr("a.jsonl, line 2, column"));
  EXPECT_THAT(PrepareError("a.jsonl", "\n{\"body\": \"a\"}"), HasSubstr("line 2: has no text"));
  EXPECT_THAT(PrepareError("a.jsonl", "{\"text\": 7}"), HasSubstr("line 1: text is a JSON number"));
  EXPECT_FALSE(std::filesystem::exists(Path("out.idx")));
  EXPECT_FALSE(std::filesystem::exists(Path("out.bin")));
}

TEST_F(PrepareTest, UndefinedOrUnknownEndOfDocumentIsRefusedByName) {
  const std::string text = Write("a.txt", "ab");
  EXPECT_THAT(ErrorText<InputError>([&] { Prepare({text}, ByteIds(std::nullopt)); }),
              AllOf(HasSubstr("eos_token_id"), HasSubstr("--eos-token-id")));
  EXPECT_THAT(ErrorText<InputError>([&] { Prepare({text}, ByteIds(), 257); }),
              AllOf(HasSubstr("eos_token_id: 257"), HasSubstr("vocab_size = 257")));
  EXPECT_THROW(Prepare({text}, ByteIds(), -1), InputError);
  EXPECT_EQ(Prepare({text}, ByteIds(std::nullopt), 10).eos_token_id, 10);
}

TEST_F(PrepareTest, LargeVocabulariesAreWrittenAsInt32) {
  EXPECT_EQ(Prepare({Write("a.txt", "ab")}, ByteIds(256, 65500)).type, TokenType::kInt32);
  EXPECT_EQ(IndexedDataset(Path("out")).type(), TokenType::kInt32);
}

TEST_F(PrepareTest, EmptyInputAndOtherKindsOfFileAreRefused) {
  EXPECT_THAT(PrepareError("a.txt", ""), HasSubstr("none of the 1 documents"));
  EXPECT_THAT(PrepareError("a.parquet", "PAR1"), HasSubstr(".parquet files are not read"));
}

}  // namespace
}  // namespace hyperpp::data

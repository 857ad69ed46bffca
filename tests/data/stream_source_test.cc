#include "hyperpp/data/stream_source.h"

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
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class StreamSourceTest : public testing::DataFiles {
 protected:
  static StreamSource Open(const std::string& prefix, int64_t sequence_length,
                           std::optional<int32_t> document_end = std::nullopt,
                           int64_t vocab_size = 1000,
                           std::vector<std::string>* warnings = nullptr) {
    SourceOptions options;
    options.sequence_length = sequence_length;
    options.vocab_size = vocab_size;
    options.warnings = warnings;
    return {std::make_unique<IndexedDataset>(prefix), options, document_end};
  }
};

TEST_F(StreamSourceTest, SamplesShareOneTokenAndLabelsAreTheNextOnes) {
  const StreamSource source = Open(WriteCounting("data", 10), 4);
  EXPECT_EQ(source.NumSamples(), 2);
  EXPECT_THAT(source.Read(0).tokens, ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(source.Read(0).labels, ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(source.Read(1).tokens, ElementsAre(4, 5, 6, 7));
  EXPECT_THAT(source.Read(1).labels, ElementsAre(5, 6, 7, 8));
  EXPECT_THAT(source.Read(1).document_starts, ElementsAre(0, 0, 0, 0));
}

TEST_F(StreamSourceTest, DocumentsOfTheIndexAreJoined) {
  const StreamSource source = Open(WriteIndexed<int32_t>("data", 4, {{1, 2}, {}, {3}, {4, 5}}), 4);
  EXPECT_THAT(source.Read(0).tokens, ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(source.Read(0).labels, ElementsAre(2, 3, 4, 5));
}

TEST_F(StreamSourceTest, OneTokenBeyondWholeSequencesIsEnoughAndNoneIsNot) {
  EXPECT_EQ(Open(WriteCounting("a", 8 * 4 + 1), 4).NumSamples(), 8);
  EXPECT_EQ(Open(WriteCounting("b", 8 * 4), 4).NumSamples(), 7);
  EXPECT_EQ(Open(WriteCounting("c", 1), 4).NumSamples(), 0);
  EXPECT_EQ(Open(WriteCounting("d", 0), 4).NumSamples(), 0);
}

TEST_F(StreamSourceTest, EvaluationTakesTheShortRestSoThatEveryLabelCountsOnce) {
  const int32_t num_tokens = 7 * 32 + 12;
  const StreamSource source = Open(WriteCounting("data", num_tokens), 32);
  EXPECT_EQ(source.NumEvaluationSamples(), 8);
  EXPECT_EQ(source.Read(7).length(), 11);
  int32_t next_label = 1;
  for (int64_t i = 0; i < source.NumEvaluationSamples(); ++i)
    for (const int32_t label : source.Read(i).labels) EXPECT_EQ(label, next_label++);
  EXPECT_EQ(next_label, num_tokens);
  EXPECT_EQ(Open(WriteCounting("whole", 65), 32).NumEvaluationSamples(), 2);
  EXPECT_EQ(Open(WriteCounting("one", 1), 32).NumEvaluationSamples(), 0);
}

TEST_F(StreamSourceTest, DocumentEndRestartsPositionsAndRemovesTheCrossingLabel) {
  const StreamSource source =
      Open(WriteIndexed<int32_t>("data", 4, {{1, 2, 9, 3, 9}, {4, 5, 6, 9, 7}}), 4, 9);
  EXPECT_THAT(source.Read(0).labels, ElementsAre(2, 9, kNoLabel, 9));
  EXPECT_THAT(source.Read(0).document_starts, ElementsAre(0, 0, 0, 3));
  EXPECT_THAT(source.Read(1).tokens, ElementsAre(9, 4, 5, 6));
  EXPECT_THAT(source.Read(1).labels, ElementsAre(kNoLabel, 5, 6, 9));
  EXPECT_THAT(source.Read(1).document_starts, ElementsAre(0, 1, 1, 1));
}

TEST_F(StreamSourceTest, TokenOutsideTheVocabularyIsRefusedOnOpening) {
  std::vector<int32_t> tokens(100, 3);
  tokens[40] = 96;
  const std::string prefix = WriteIndexed<int32_t>("beyond", 4, {tokens});
  EXPECT_THAT(ErrorText<InputError>([&] { Open(prefix, 4, std::nullopt, 96); }),
              AllOf(HasSubstr("beyond.bin, token 40: id 96"), HasSubstr("vocab_size = 96")));
  tokens[40] = -1;
  WriteIndexed<int32_t>("beyond", 4, {tokens});
  EXPECT_THAT(ErrorText<InputError>([&] { Open(prefix, 4, std::nullopt, 96); }),
              HasSubstr("token 40: id -1"));
}

TEST_F(StreamSourceTest, DocumentEndThatNeverOccursIsReported) {
  std::vector<std::string> warnings;
  Open(WriteCounting("data", 10), 4, 5, 96, &warnings);
  EXPECT_TRUE(warnings.empty());
  Open(WriteCounting("data", 10), 4, 50, 96, &warnings);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_THAT(warnings[0], AllOf(HasSubstr("data.bin"), HasSubstr("id 50 never occurs")));
}

TEST_F(StreamSourceTest, AmountsAreGivenInTokensAndSamples) {
  const StreamSource source = Open(WriteCounting("short", 20), 32);
  EXPECT_EQ(source.Amount(), "20 tokens, 0 samples of sequence_length 32");
  EXPECT_EQ(source.Need(8), "8 samples, 257 tokens");
}

}  // namespace
}  // namespace hyperpp::data

#include "hyperpp/data/samples_source.h"

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

class SamplesSourceTest : public testing::DataFiles {
 protected:
  static SourceOptions Options() {
    SourceOptions options;
    options.sequence_length = 4;
    options.vocab_size = 96;
    return options;
  }
  SamplesSource Open(const std::string& content,
                     std::optional<int32_t> document_end = std::nullopt) {
    return {Write("samples.jsonl", content), Options(), document_end};
  }
  std::string OpenError(const std::string& content) {
    return ErrorText<InputError>([&] { Open(content); });
  }
};

TEST_F(SamplesSourceTest, LabelsAreShiftedAndTheLastPositionHasNone) {
  const SamplesSource source =
      Open("{\"input_ids\": [5, 17, 60, 2], \"labels\": [-100, -100, 60, 2]}\n");
  EXPECT_THAT(source.Read(0).tokens, ElementsAre(5, 17, 60, 2));
  EXPECT_THAT(source.Read(0).labels, ElementsAre(kNoLabel, 60, 2, kNoLabel));
  EXPECT_THAT(source.Read(0).document_starts, ElementsAre(0, 0, 0, 0));
  EXPECT_EQ(source.Read(0).NumLabels(), 2);
}

TEST_F(SamplesSourceTest, WithoutLabelsEveryIdIsOne) {
  EXPECT_THAT(Open("{\"input_ids\": [5, 6, 7]}").Read(0).labels, ElementsAre(6, 7, kNoLabel));
}

TEST_F(SamplesSourceTest, SamplesOfAnyLengthAndWithoutAnyLabelAreRead) {
  const SamplesSource source =
      Open("{\"input_ids\": [1]}\r\n\n  \n{\"input_ids\": [1, 2], \"labels\": [-100, -100]}");
  ASSERT_EQ(source.NumSamples(), 2);
  EXPECT_EQ(source.Read(0).NumLabels(), 0);
  EXPECT_EQ(source.Read(1).length(), 2);
  EXPECT_EQ(source.Read(1).NumLabels(), 0);
}

TEST_F(SamplesSourceTest, MalformedLinesAreNamedByNumber) {
  const std::string good = "{\"input_ids\": [1]}\n\n";
  EXPECT_THAT(OpenError(good + "{\"input_ids\": [1, 2"),
              HasSubstr("samples.jsonl, line 3, column 20: is not valid JSON"));
  EXPECT_THAT(OpenError(good + "[1, 2]"), HasSubstr("line 3: is a JSON array"));
  EXPECT_THAT(OpenError(good + "{\"ids\": [1]}"), HasSubstr("line 3: has no input_ids"));
  EXPECT_THAT(OpenError(good + "{\"input_ids\": 7}"), HasSubstr("input_ids is a JSON number"));
  EXPECT_THAT(OpenError(good + "{\"input_ids\": [1, 2.5]}"), HasSubstr("input_ids[1] is 2.5"));
  EXPECT_THAT(OpenError(good + "{\"input_ids\": []}"), HasSubstr("input_ids has 0 tokens"));
  EXPECT_THAT(OpenError(good + "{\"input_ids\": [1], \"labels\": [1, 2]}"),
              HasSubstr("labels has 2 entries, input_ids has 1"));
  EXPECT_THAT(OpenError(good + "{\"input_ids\": [1], \"labels\": null}"),
              HasSubstr("labels is a JSON null"));
}

TEST_F(SamplesSourceTest, RanksCheckTheLinesInTurn) {
  const std::string path = Write(
      "samples.jsonl", "{\"input_ids\": [1]}\n{\"input_ids\": [96]}\n{\"input_ids\": [3, 9]}\n");
  SourceOptions options = Options();
  options.num_ranks = 2;
  const SamplesSource source(path, options, std::nullopt);
  EXPECT_EQ(source.NumSamples(), 3);
  EXPECT_THAT(source.Read(2).tokens, ElementsAre(3, 9));
  EXPECT_THAT(ErrorText<InputError>([&] { source.Read(1); }), HasSubstr("line 2: input_ids[0]"));
  options.rank = 1;
  EXPECT_THAT(ErrorText<InputError>([&] { SamplesSource(path, options, std::nullopt); }),
              HasSubstr("samples.jsonl, line 2: input_ids[0] is id 96"));
}

TEST_F(SamplesSourceTest, DocumentEndIsFoundInAnyRanksShare) {
  std::vector<std::string> warnings;
  SourceOptions options = Options();
  options.num_ranks = 2;
  options.warnings = &warnings;
  SamplesSource(Write("a.jsonl", "{\"input_ids\": [1]}\n{\"input_ids\": [9]}"), options, 9);
  EXPECT_THAT(warnings, ElementsAre());
}

TEST_F(SamplesSourceTest, LongerThanTheSequenceLengthIsRefused) {
  EXPECT_EQ(Open("{\"input_ids\": [1, 2, 3, 4]}").NumSamples(), 1);
  EXPECT_THAT(OpenError("{\"input_ids\": [1, 2, 3, 4, 5]}"),
              AllOf(HasSubstr("line 1: input_ids has 5 tokens"), HasSubstr("sequence_length = 4")));
}

TEST_F(SamplesSourceTest, IdsAndLabelsOutsideTheVocabularyAreRefused) {
  EXPECT_THAT(OpenError("{\"input_ids\": [1, 96]}"),
              AllOf(HasSubstr("line 1: input_ids[1] is id 96"), HasSubstr("vocab_size = 96")));
  EXPECT_THAT(OpenError("{\"input_ids\": [-100]}"), HasSubstr("input_ids[0] is id -100"));
  EXPECT_THAT(OpenError("{\"input_ids\": [1], \"labels\": [-1]}"), HasSubstr("labels[0] is id -1"));
  EXPECT_THAT(OpenError("{\"input_ids\": [18446744073709551615]}"),
              HasSubstr("id 18446744073709551615"));
}

TEST_F(SamplesSourceTest, MasksThatWouldBeLostAreRefused) {
  EXPECT_EQ(Open("{\"input_ids\": [1, 2], \"attention_mask\": [1, 1], \"id\": 7}").NumSamples(), 1);
  EXPECT_THAT(OpenError("{\"input_ids\": [1, 2], \"attention_mask\": [1, 0]}"),
              HasSubstr("attention_mask is not all ones"));
  EXPECT_THAT(OpenError("{\"input_ids\": [1, 2], \"position_ids\": [0, 0]}"),
              HasSubstr("position_ids are not supported"));
}

TEST_F(SamplesSourceTest, DocumentEndSeparatesPackedDocuments) {
  const Sample sample = Open("{\"input_ids\": [1, 9, 2, 3]}", 9).Read(0);
  EXPECT_THAT(sample.labels, ElementsAre(9, kNoLabel, 3, kNoLabel));
  EXPECT_THAT(sample.document_starts, ElementsAre(0, 0, 2, 2));
}

TEST_F(SamplesSourceTest, DocumentEndThatNeverOccursIsReported) {
  std::vector<std::string> warnings;
  SourceOptions options = Options();
  options.warnings = &warnings;
  SamplesSource(Write("a.jsonl", "{\"input_ids\": [1, 2]}"), options, 9);
  ASSERT_EQ(warnings.size(), 1u);
  SamplesSource(Write("a.jsonl", "{\"input_ids\": [1, 9]}"), options, 9);
  EXPECT_EQ(warnings.size(), 1u);
}

}  // namespace
}  // namespace hyperpp::data

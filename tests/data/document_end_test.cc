#include "hyperpp/data/document_end.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hyperpp/core/error.h"
#include "tests/data/data_files.h"
#include "tests/support/error_text.h"

namespace hyperpp::data {
namespace {

using test::ErrorText;
using ::testing::AllOf;
using testing::ByteIds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

SourceOptions Options(std::optional<int64_t> model_eos, int64_t vocab_size = 300) {
  SourceOptions options;
  options.vocab_size = vocab_size;
  options.model_eos_token_id = model_eos;
  return options;
}

config::DataSection Section(bool document_mask, std::optional<int64_t> eos = std::nullopt) {
  config::DataSection section;
  section.document_mask = document_mask;
  section.eos_token_id = eos;
  return section;
}

TEST(DocumentEndTest, ConfigurationGoesBeforeTheModelAndTheModelBeforeTheTokenizer) {
  const ByteIds tokenizer;
  EXPECT_EQ(RequireDocumentEnd(Section(true, 7), Options(8), &tokenizer), 7);
  EXPECT_EQ(RequireDocumentEnd(Section(true), Options(8), &tokenizer), 8);
  EXPECT_EQ(RequireDocumentEnd(Section(true), Options(std::nullopt), &tokenizer), 256);
}

TEST(DocumentEndTest, MaskWithoutAnyIdIsRefused) {
  EXPECT_THAT(ErrorText<ConfigError>(
                  [] { DocumentMaskEnd(Section(true), Options(std::nullopt), nullptr); }),
              AllOf(HasSubstr("data.eos_token_id"), HasSubstr("document_mask")));
  EXPECT_FALSE(DocumentMaskEnd(Section(false), Options(std::nullopt), nullptr));
}

TEST(DocumentEndTest, IdOutsideTheVocabularyIsRefusedByName) {
  for (const int64_t id : {96, -1})
    for (const bool mask : {true, false})
      EXPECT_THAT(ErrorText<ConfigError>(
                      [&] { DocumentMaskEnd(Section(mask, id), Options(5, 96), nullptr); }),
                  AllOf(HasSubstr("data.eos_token_id: " + std::to_string(id)),
                        HasSubstr("vocab_size = 96")));
  EXPECT_THAT(
      ErrorText<InputError>([] { DocumentMaskEnd(Section(true), Options(151645, 96), nullptr); }),
      AllOf(HasSubstr("config.json is 151645"), HasSubstr("vocab_size = 96")));
  const ByteIds tokenizer;
  EXPECT_THAT(ErrorText<InputError>([&] {
                RequireDocumentEnd(Section(false), Options(std::nullopt, 256), &tokenizer);
              }),
              HasSubstr("data.tokenizer is 256"));
}

TEST(DocumentEndTest, UnusedModelIdMayBeAnything) {
  EXPECT_FALSE(DocumentMaskEnd(Section(false), Options(151645, 96), nullptr));
}

TEST(DocumentEndTest, EndAsFirstAndLastTokenAndTwiceInARow) {
  Sample sample{{9, 9, 1, 9}, {9, 1, 9, 5}, {}};
  MarkDocuments(9, &sample);
  EXPECT_THAT(sample.labels, ElementsAre(kNoLabel, kNoLabel, 9, kNoLabel));
  EXPECT_THAT(sample.document_starts, ElementsAre(0, 1, 2, 2));
}

}  // namespace
}  // namespace hyperpp::data

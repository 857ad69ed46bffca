#include "hyperpp/data/source.h"

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

class OpenDataTest : public testing::DataFiles {
 protected:
  static SourceOptions Options(int64_t sequence_length = 4) {
    SourceOptions options;
    options.sequence_length = sequence_length;
    options.vocab_size = 300;
    return options;
  }
  static config::DataSection Section(config::DataType type, const std::vector<std::string>& paths) {
    config::DataSection section;
    section.type = type;
    section.shuffle = false;
    for (const std::string& path : paths) section.path.push_back({path, 1});
    return section;
  }
};

TEST_F(OpenDataTest, IndexedStepsUseConsecutiveSamples) {
  const auto section = Section(config::DataType::kIndexed, {WriteCounting("data", 2 * 3 * 4 + 1)});
  const auto data = OpenTrainingData(section, Options(), 3);
  EXPECT_THAT(data->Read(1, 2).tokens, ElementsAre(8, 9, 10, 11));
  EXPECT_THAT(data->Read(2, 0).tokens, ElementsAre(12, 13, 14, 15));
  EXPECT_THAT(data->Read(3, 0).tokens, ElementsAre(0, 1, 2, 3));
}

TEST_F(OpenDataTest, LessThanOneBatchIsRefusedWithTokensThereAndNeeded) {
  const auto section = Section(config::DataType::kIndexed, {WriteCounting("short", 20)});
  EXPECT_THAT(ErrorText<InputError>([&] { OpenTrainingData(section, Options(32), 8); }),
              AllOf(HasSubstr("short.bin: holds 20 tokens"), HasSubstr("global_batch_size = 8"),
                    HasSubstr("8 samples, 257 tokens")));
}

TEST_F(OpenDataTest, MixtureWeightsChooseTheSource) {
  auto section =
      Section(config::DataType::kIndexed,
              {WriteCounting("a", 41), WriteIndexed<int32_t>("b", 4, {{7, 7, 7, 7, 7}})});
  section.path[0].weight = 3;
  const auto data = OpenTrainingData(section, Options(), 4);
  int num_from_b = 0;
  for (int64_t i = 0; i < 4; ++i) num_from_b += data->Read(1, i).tokens[0] == 7;
  EXPECT_EQ(num_from_b, 1);
}

TEST_F(OpenDataTest, SamplesKeepTheirLength) {
  const auto section = Section(config::DataType::kSamples,
                               {Write("s.jsonl", "{\"input_ids\": [1, 2]}\n{\"input_ids\": [3]}")});
  const auto data = OpenTrainingData(section, Options(), 2);
  EXPECT_EQ(data->Read(1, 0).length(), 2);
  EXPECT_EQ(data->Read(1, 1).length(), 1);
}

TEST_F(OpenDataTest, TextFilesOfEqualWeightAreOneStream) {
  auto section = Section(config::DataType::kText, {Write("a.txt", "ab"), Write("b.txt", "cde")});
  section.tokenizer = "bytes";
  const auto data = OpenTrainingData(section, Options(), 1);
  EXPECT_THAT(data->Read(1, 0).tokens, ElementsAre('a', 'b', 256, 'c'));
  section.path[1].weight = 2;
  EXPECT_THROW(OpenTrainingData(section, Options(), 1), InputError);  // a.txt is no whole sample
}

TEST_F(OpenDataTest, TextEndsAndMasksDocumentsWithTheSameId) {
  auto section = Section(config::DataType::kText, {Write("a.txt", "ab"), Write("b.txt", "cde")});
  section.tokenizer = "bytes";
  section.document_mask = true;
  section.eos_token_id = 0;
  const Sample sample = OpenTrainingData(section, Options(), 1)->Read(1, 0);
  EXPECT_THAT(sample.tokens, ElementsAre('a', 'b', 0, 'c'));
  EXPECT_THAT(sample.labels, ElementsAre('b', 0, kNoLabel, 'd'));
}

TEST_F(OpenDataTest, TextWithoutTokenizerIsRefusedByKey) {
  const auto section = Section(config::DataType::kText, {Write("a.txt", "ab")});
  EXPECT_THAT(ErrorText<ConfigError>([&] { OpenTrainingData(section, Options(), 1); }),
              HasSubstr("data.tokenizer: is missing"));
}

TEST_F(OpenDataTest, SyntheticDataNeedsNoPathAndTakesNone) {
  auto section = Section(config::DataType::kSynthetic, {});
  section.shuffle = true;
  EXPECT_EQ(OpenTrainingData(section, Options(), 8)->Read(1000, 7).length(), 4);
  EXPECT_EQ(OpenEvaluationData(section, Options(), 5)->NumSamples(), 5);
  section.path.push_back({"somewhere", 1});
  EXPECT_THROW(OpenTrainingData(section, Options(), 8), ConfigError);
}

TEST_F(OpenDataTest, MissingPathAndSenselessWeightAreRefused) {
  EXPECT_THAT(ErrorText<ConfigError>(
                  [&] { OpenTrainingData(Section(config::DataType::kIndexed, {}), Options(), 1); }),
              HasSubstr("data.path: is missing"));
  auto section = Section(config::DataType::kIndexed, {WriteCounting("a", 41)});
  section.path[0].weight = 0;
  EXPECT_THAT(ErrorText<ConfigError>([&] { OpenTrainingData(section, Options(), 1); }),
              HasSubstr("weight of"));
}

TEST_F(OpenDataTest, EvaluationJoinsAllSourcesWithTheirRestsUpToTheLimit) {
  auto section =
      Section(config::DataType::kIndexed, {WriteCounting("a", 6), WriteCounting("b", 3)});
  section.shuffle = true;
  const auto all = OpenEvaluationData(section, Options(), 0);
  ASSERT_EQ(all->NumSamples(), 3);
  EXPECT_THAT(all->Read(0).tokens, ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(all->Read(1).tokens, ElementsAre(4));
  EXPECT_THAT(all->Read(2).tokens, ElementsAre(0, 1));
  EXPECT_EQ(OpenEvaluationData(section, Options(), 2)->NumSamples(), 2);
}

TEST_F(OpenDataTest, EvaluationWithoutAnyLabelIsRefused) {
  const auto section = Section(config::DataType::kIndexed, {WriteCounting("one", 1)});
  EXPECT_THAT(ErrorText<InputError>([&] { OpenEvaluationData(section, Options(), 0); }),
              HasSubstr("one.bin: holds 1 tokens"));
}

}  // namespace
}  // namespace hyperpp::data

#include "hyperpp/data/inspect.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/data/data_files.h"

namespace hyperpp::data {
namespace {

using ::testing::HasSubstr;

class InspectTest : public testing::DataFiles {};

TEST_F(InspectTest, CountsTypeIdsAndLengthsAreThoseOfTheFile) {
  std::vector<std::vector<uint16_t>> documents(1);  // lengths 0 .. 9
  for (uint16_t length = 1; length < 10; ++length)
    documents.push_back(std::vector<uint16_t>(length, static_cast<uint16_t>(10 + length)));
  const IndexedSummary summary = Inspect(WriteIndexed<uint16_t>("data", 8, documents) + ".idx");
  EXPECT_EQ(summary.prefix, Path("data"));
  EXPECT_EQ(summary.num_documents, 10);
  EXPECT_EQ(summary.num_empty_documents, 1);
  EXPECT_EQ(summary.num_tokens, 45);
  EXPECT_EQ(summary.size_bytes, 90 + 34 + 12 * 10 + 8 * 11);
  EXPECT_EQ(summary.ids->smallest, 11);
  EXPECT_EQ(summary.ids->largest, 19);
  EXPECT_EQ(summary.lengths->smallest, 0);
  EXPECT_EQ(summary.lengths->median, 4);
  EXPECT_EQ(summary.lengths->percentile_90, 8);
  EXPECT_EQ(summary.lengths->largest, 9);
  EXPECT_DOUBLE_EQ(summary.lengths->mean, 4.5);
}

TEST_F(InspectTest, TextAndJsonSayTheSame) {
  const IndexedSummary summary = Inspect(WriteIndexed<int32_t>("data", 4, {{5, 6, 7}}));
  EXPECT_THAT(Describe(summary), HasSubstr("5 to 7, for a vocab_size of at least 8"));
  const nlohmann::json json = ToJson(summary);
  EXPECT_EQ(json["dtype"], "int32");
  EXPECT_EQ(json["tokens"], 3);
  EXPECT_EQ(json["largest_id"], 7);
  EXPECT_EQ(json["document_lengths"]["median"], 3);
}

TEST_F(InspectTest, DataSetWithoutDocumentsHasNoRanges) {
  const IndexedSummary summary = Inspect(WriteIndexed<int32_t>("none", 4, {}));
  EXPECT_FALSE(summary.ids);
  EXPECT_TRUE(ToJson(summary)["document_lengths"].is_null());
  EXPECT_THAT(Describe(summary), HasSubstr("0 of type int32"));
}

}  // namespace
}  // namespace hyperpp::data

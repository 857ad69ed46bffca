#include "hyperpp/data/tokenizers/bpe_tokenizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hyperpp/data/tokenizers/byte_alphabet.h"

namespace hyperpp::data {
namespace {

using ::testing::ElementsAre;

// Id = byte, the merge "ab" 256, the tokens <end> 257 and <mid> 300.
BpeTokenizerParts Parts() {
  BpeTokenizerParts parts;
  for (int byte = 0; byte < 256; ++byte) {
    const char c = static_cast<char>(byte);
    parts.model.vocabulary[TokenOfBytes({&c, 1})] = byte;
  }
  parts.model.vocabulary["ab"] = 256;
  parts.model.merges = {{"a", "b"}};
  parts.added_tokens = {{.content = "<end>", .id = 257, .special = true, .normalized = false},
                        {.content = "<mid>", .id = 300, .normalized = false}};
  return parts;
}

TEST(BpeTokenizerTest, AddedTokensStandBetweenMergedText) {
  const BpeTokenizer tokenizer(Parts());
  EXPECT_THAT(tokenizer.Encode("aba<end>b<mid>"), ElementsAre(256, 'a', 257, 'b', 300));
  EXPECT_THAT(tokenizer.Encode(""), ElementsAre());
  EXPECT_EQ(tokenizer.VocabSize(), 301);
  EXPECT_EQ(tokenizer.EndOfDocument(), std::nullopt);
}

TEST(BpeTokenizerTest, DecodingLeavesOutSpecialTokensOnRequest) {
  const BpeTokenizer tokenizer(Parts());
  EXPECT_EQ(tokenizer.Decode({256, 257, 300}), "ab<mid>");
  EXPECT_EQ(tokenizer.Decode({256, 257, 300}, false), "ab<end><mid>");
}

TEST(BpeTokenizerTest, IdsThatAreNotDefinedAreLeftOut) {
  const BpeTokenizer tokenizer(Parts());
  EXPECT_EQ(tokenizer.Decode({-1, 'a', 299, 301, 1 << 30}), "a");
}

TEST(BpeTokenizerTest, BytesThatAreNotUtf8AreKept) {
  const BpeTokenizer tokenizer(Parts());
  EXPECT_THAT(tokenizer.Encode("a\xFF\xC3"
                               "b<end>\xE2\x82"),
              ElementsAre('a', 0xFF, 0xC3, 'b', 257, 0xE2, 0x82));
  EXPECT_EQ(tokenizer.Decode({'a', 0xC3, 'b', 0xC3, 0xA9}), "a\uFFFDb\u00E9");
}

TEST(BpeTokenizerTest, NormalisedTokensAreFoundInNormalisedText) {
  BpeTokenizerParts parts = Parts();
  parts.normal_forms = {NormalForm::kNfc};
  parts.added_tokens.push_back({.content = "u\u0323", .id = 301});
  parts.added_tokens.push_back({.content = "o\u0301", .id = 302, .normalized = false});
  const BpeTokenizer tokenizer(std::move(parts));
  EXPECT_THAT(tokenizer.Encode("u\u0323\u1EE5"), ElementsAre(301, 301));
  EXPECT_THAT(tokenizer.Encode("o\u0301\u00F3"), ElementsAre(302, 0xC3, 0xB3));
  EXPECT_EQ(tokenizer.Decode({301}), "\u1EE5");
}

TEST(BpeTokenizerTest, RepeatedPiecesHaveTheSameIds) {
  BpeTokenizerParts parts = Parts();
  parts.pre_tokenizer.AddSplit(SplitPattern("[ab]+| "), SplitBehavior::kIsolated, false);
  const BpeTokenizer tokenizer(std::move(parts));
  std::string text;
  std::vector<int32_t> expected;
  for (int i = 0; i < 1000; ++i) {
    text += "aab ba ";
    expected.insert(expected.end(), {'a', 256, ' ', 'b', 'a', ' '});
  }
  EXPECT_EQ(tokenizer.Encode(text), expected);
}

}  // namespace
}  // namespace hyperpp::data

#include "hyperpp/data/tokenizers/sentencepiece_tokenizer.h"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace hyperpp::data {
namespace {

const std::filesystem::path kReference = HYPERPP_REFERENCE_DIR;

class SentencePieceTokenizerTest : public ::testing::Test {
 protected:
  const SentencePieceTokenizer tokenizer_{kReference / "sentencepiece.model"};
};

TEST_F(SentencePieceTokenizerTest, IdsEqualThoseOfSpmEncode) {
  std::ifstream file(kReference / "sentencepiece.golden.json");
  const nlohmann::json golden = nlohmann::json::parse(file);
  const auto texts = golden["texts"].get<std::vector<std::string>>();
  ASSERT_EQ(texts.size(), golden["ids"].size());
  for (size_t i = 0; i < texts.size(); ++i) {
    EXPECT_EQ(tokenizer_.Encode(texts[i]), golden["ids"][i].get<std::vector<int32_t>>())
        << texts[i];
  }
}

TEST_F(SentencePieceTokenizerTest, TextComesBack) {
  const std::string text = "The quick brown fox, \u4F60\u597D \U0001F642";
  EXPECT_EQ(tokenizer_.Decode(tokenizer_.Encode(text)), text);
}

TEST_F(SentencePieceTokenizerTest, EosEndsADocument) {
  EXPECT_EQ(tokenizer_.VocabSize(), 760);
  EXPECT_EQ(tokenizer_.EndOfDocument(), 2);
  std::vector<int32_t> ids = tokenizer_.Encode("the dog");
  ids.push_back(2);
  EXPECT_EQ(tokenizer_.Decode(ids), "the dog");
  EXPECT_EQ(tokenizer_.Decode(ids, false), "the dog</s>");
}

TEST_F(SentencePieceTokenizerTest, IdsOutsideTheVocabularyAreLeftOut) {
  std::vector<int32_t> ids = tokenizer_.Encode("the dog");
  ids.insert(ids.begin(), {-1, 760, 1 << 30});
  EXPECT_EQ(tokenizer_.Decode(ids), "the dog");
}

TEST_F(SentencePieceTokenizerTest, BytesThatAreNotUtf8BecomeTheReplacementCharacter) {
  EXPECT_EQ(tokenizer_.Decode(tokenizer_.Encode("a\xFF"
                                                "b")),
            "a\uFFFDb");
}

}  // namespace
}  // namespace hyperpp::data

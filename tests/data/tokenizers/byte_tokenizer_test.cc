#include "hyperpp/data/tokenizers/byte_tokenizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hyperpp::data {
namespace {

using ::testing::ElementsAre;

TEST(ByteTokenizerTest, IdsAreBytes) {
  const ByteTokenizer tokenizer;
  EXPECT_THAT(tokenizer.Encode("A\xC3\xA9\xFF"), ElementsAre(65, 0xC3, 0xA9, 0xFF));
  EXPECT_THAT(tokenizer.Encode(std::string_view("\0", 1)), ElementsAre(0));
  EXPECT_EQ(tokenizer.VocabSize(), 257);
  EXPECT_EQ(tokenizer.EndOfDocument(), 256);
}

TEST(ByteTokenizerTest, DecodingReplacesWhatIsNotUtf8) {
  const ByteTokenizer tokenizer;
  EXPECT_EQ(tokenizer.Decode({0xC3, 0xA9, 0xC3, 'x'}), "\u00E9\uFFFDx");
  EXPECT_EQ(tokenizer.Decode({'a', 256, 'b'}), "ab");
  EXPECT_EQ(tokenizer.Decode({'a', 256, 'b'}, false), "a<|end|>b");
  EXPECT_EQ(tokenizer.Decode({-1, 'a', 257, 1000000}, false), "a");
}

}  // namespace
}  // namespace hyperpp::data

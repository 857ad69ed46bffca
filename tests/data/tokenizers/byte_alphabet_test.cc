#include "hyperpp/data/tokenizers/byte_alphabet.h"

#include <set>

#include <gtest/gtest.h>

namespace hyperpp::data {
namespace {

TEST(ByteAlphabetTest, EveryByteHasItsOwnCharacterAndComesBack) {
  std::set<char32_t> characters;
  for (int byte = 0; byte < 256; ++byte) {
    const char c = static_cast<char>(byte);
    characters.insert(CharacterOfByte(static_cast<unsigned char>(c)));
    EXPECT_EQ(BytesOfToken(TokenOfBytes({&c, 1})), std::string(1, c));
  }
  EXPECT_EQ(characters.size(), 256u);
}

TEST(ByteAlphabetTest, KnownCharacters) {
  EXPECT_EQ(TokenOfBytes(" the\n"), "\u0120the\u010A");
  EXPECT_EQ(TokenOfBytes("\xC3\xA9"), "\u00C3\u00A9");
  EXPECT_EQ(TokenOfBytes("\xAD\x7F"), "\u0143\u0121");
}

TEST(ByteAlphabetTest, OtherCharactersAreNoBytes) {
  EXPECT_EQ(BytesOfToken("a b"), std::nullopt);
  EXPECT_EQ(BytesOfToken("\uFF5C"), std::nullopt);
  EXPECT_EQ(BytesOfToken("\u00AD"), std::nullopt);
  EXPECT_EQ(BytesOfToken("\xFF"), std::nullopt);
}

}  // namespace
}  // namespace hyperpp::data

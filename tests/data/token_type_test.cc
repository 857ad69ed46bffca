#include "hyperpp/data/token_type.h"

#include <gtest/gtest.h>

namespace hyperpp::data {
namespace {

TEST(TokenTypeTest, CodesAreThoseOfMegatron) {
  for (const int code : {1, 2, 3, 4, 5, 8}) {
    const auto type = TokenTypeOfCode(static_cast<uint8_t>(code));
    ASSERT_TRUE(type) << code;
    EXPECT_EQ(static_cast<int>(*type), code);
  }
  for (const int code : {0, 6, 7, 9, 255})
    EXPECT_FALSE(TokenTypeOfCode(static_cast<uint8_t>(code))) << code;
}

TEST(TokenTypeTest, VocabularyChoosesTheTypeThatMegatronChooses) {
  EXPECT_EQ(TokenTypeForVocabulary(257), TokenType::kUint16);
  EXPECT_EQ(TokenTypeForVocabulary(65499), TokenType::kUint16);
  EXPECT_EQ(TokenTypeForVocabulary(65500), TokenType::kInt32);
}

TEST(TokenTypeTest, SizesAreThoseOfTheNamedTypes) {
  EXPECT_EQ(SizeBytes(TokenType::kUint8), 1);
  EXPECT_EQ(SizeBytes(TokenType::kUint16), 2);
  EXPECT_EQ(SizeBytes(TokenType::kInt32), 4);
  EXPECT_EQ(SizeBytes(TokenType::kInt64), 8);
}

}  // namespace
}  // namespace hyperpp::data

#include "hyperpp/data/tokenizers/unicode_normalization.h"

#include <vector>

#include <gtest/gtest.h>

#include "hyperpp/data/tokenizers/utf8.h"

namespace hyperpp::data {
namespace {

TEST(UnicodeNormalizationTest, TheFourForms) {
  // The figure of Unicode Standard Annex 15: fi ligature, long s with dot above and below.
  const std::string text = "\uFB01 \u1E9B\u0323";
  EXPECT_EQ(Normalize(text, NormalForm::kNfd), "\uFB01 \u017F\u0323\u0307");
  EXPECT_EQ(Normalize(text, NormalForm::kNfc), text);
  EXPECT_EQ(Normalize(text, NormalForm::kNfkd), "fi s\u0323\u0307");
  EXPECT_EQ(Normalize(text, NormalForm::kNfkc), "fi \u1E69");
}

TEST(UnicodeNormalizationTest, MarksComposeWithThePlainCharacterBefore) {
  EXPECT_EQ(Normalize("xe\u0301y", NormalForm::kNfc), "x\u00E9y");
  EXPECT_EQ(Normalize("\u304B\u3099\u304B", NormalForm::kNfc), "\u304C\u304B");
  EXPECT_EQ(Normalize("\uAC00\u11A8\u1100\u1161", NormalForm::kNfc), "\uAC01\uAC00");
  EXPECT_EQ(Normalize("\u0301\u0316e", NormalForm::kNfc), "\u0316\u0301e");
}

TEST(UnicodeNormalizationTest, PlainTextStays) {
  const std::string text = "plain na\u00EFve \u4E2D\u6587 \uD55C\uAD6D \u0439 \u30AC";
  EXPECT_TRUE(IsPlainlyNormal(text, NormalForm::kNfc));
  EXPECT_EQ(Normalize(text, NormalForm::kNfc), text);
  EXPECT_FALSE(IsPlainlyNormal("e\u0301", NormalForm::kNfc));
  EXPECT_FALSE(IsPlainlyNormal("\u212B", NormalForm::kNfc));
  EXPECT_FALSE(IsPlainlyNormal("na\u00EFve", NormalForm::kNfd));
  EXPECT_TRUE(IsPlainlyNormal("", NormalForm::kNfkc));
}

TEST(UnicodeNormalizationTest, NothingMovesAcrossMarksThatThePackageDoesNotKnow) {
  EXPECT_EQ(Normalize("a\u08D3\u0301\u0316", NormalForm::kNfc), "a\u08D3\u0316\u0301");
}

// Decomposed and composed again, a plain character is itself, also behind a letter and a mark.
TEST(UnicodeNormalizationTest, PlainCharactersStandAlone) {
  for (char32_t c = 1; c <= 0xFFFF; ++c) {
    if (c >= 0xD800 && c < 0xE000) continue;
    std::string text;
    AppendUtf8(c, text);
    if (!IsPlainlyNormal(text, NormalForm::kNfc)) continue;
    const std::string around = "\u0301" + text + "x";
    const std::string decomposed = Normalize(around, NormalForm::kNfd);
    ASSERT_EQ(Normalize(decomposed, NormalForm::kNfc), around) << std::hex << uint32_t{c};
  }
}

}  // namespace
}  // namespace hyperpp::data

#include "hyperpp/data/tokenizers/utf8.h"

#include <gtest/gtest.h>

namespace hyperpp::data {
namespace {

TEST(Utf8Test, EveryCodePointGoesThereAndBack) {
  for (char32_t c = 0; c <= 0x10FFFF; ++c) {
    if (c >= 0xD800 && c < 0xE000) continue;
    std::string text;
    AppendUtf8(c, text);
    ASSERT_EQ(Utf8Length(text), text.size()) << std::hex << static_cast<uint32_t>(c);
    ASSERT_EQ(DecodeUtf8(text.data(), text.size()), c);
  }
}

TEST(Utf8Test, OverlongFormsSurrogatesAndLargeValuesAreInvalid) {
  for (const char* bytes : {"\x80", "\xBF", "\xC0\x80", "\xC1\xBF", "\xE0\x80\x80", "\xE0\x9F\xBF",
                            "\xED\xA0\x80", "\xED\xBF\xBF", "\xF0\x8F\xBF\xBF", "\xF4\x90\x80\x80",
                            "\xF5\x80\x80\x80", "\xFF", "\xC3", "\xE2\x82", "\xF0\x9F\x99"}) {
    EXPECT_EQ(Utf8Length(bytes), 0u) << bytes;
  }
}

TEST(Utf8Test, PrefixesEndWhereValidityChanges) {
  const std::string_view text = "0123456789 na\xC3\xAFve \xFF\xE2\x82 ok";
  EXPECT_EQ(ValidUtf8Prefix(text), 18u);
  EXPECT_EQ(InvalidUtf8Prefix(text.substr(18)), 3u);
  EXPECT_EQ(ValidUtf8Prefix(text.substr(21)), 3u);
  EXPECT_EQ(ValidUtf8Prefix(""), 0u);
  EXPECT_EQ(InvalidUtf8Prefix("\xE2\x82"), 2u);
}

// The example of the Unicode Standard 15, table 3-8, and Python's errors="replace".
TEST(Utf8Test, EachMaximalSubpartIsReplacedOnce) {
  EXPECT_EQ(ReplaceInvalidUtf8("a\xF1\x80\x80\xE1\x80\xC2"
                               "b\x80"
                               "c\x80\xBF"
                               "d"),
            "a\uFFFD\uFFFD\uFFFDb\uFFFDc\uFFFD\uFFFDd");
  EXPECT_EQ(ReplaceInvalidUtf8("\xED\xA0\x80"), "\uFFFD\uFFFD\uFFFD");
  EXPECT_EQ(ReplaceInvalidUtf8("\xF0\x9F\x99"), "\uFFFD");
  EXPECT_EQ(ReplaceInvalidUtf8("plain"), "plain");
}

TEST(Utf8Test, WhitespaceIsTheUnicodeProperty) {
  int count = 0;
  for (char32_t c = 0; c <= 0x10FFFF; ++c) count += IsWhitespace(c) ? 1 : 0;
  EXPECT_EQ(count, 25);
  EXPECT_TRUE(IsWhitespace(0x85));
  EXPECT_FALSE(IsWhitespace(0x180E));
  EXPECT_FALSE(IsWhitespace(0x200B));
}

}  // namespace
}  // namespace hyperpp::data

#include "hyperpp/data/tokenizers/unicode_versions.h"

#include <gtest/gtest.h>

#include "hyperpp/data/tokenizers/split_pattern.h"
#include "hyperpp/data/tokenizers/unicode_version_tables.h"
#include "hyperpp/data/tokenizers/utf8.h"

namespace hyperpp::data {
namespace {

TEST(UnicodeVersionsTest, OnlyNewCharactersAreReplaced) {
  EXPECT_EQ(WithStandIns("plain \u00e9 \u4e2d \U0001F600"), std::nullopt);
  EXPECT_EQ(WithStandIns("a\U00031350b\U000323AF"), "a\U00020000b\U00020000");
  EXPECT_EQ(WithStandIns("\u1C89"), "\u1E00");
}

TEST(UnicodeVersionsTest, StandInsKeepTheLength) {
  for (const StandInRange& range : kStandIns) {
    std::string first;
    AppendUtf8(range.first, first);
    std::string last;
    AppendUtf8(range.last, last);
    std::string stand_in;
    AppendUtf8(range.stand_in, stand_in);
    EXPECT_EQ(first.size(), stand_in.size());
    EXPECT_EQ(last.size(), stand_in.size());
    EXPECT_EQ(WithStandIns(first), stand_in);
    EXPECT_EQ(WithStandIns(last), stand_in);
  }
}

TEST(UnicodeVersionsTest, MarksNewerThanThePackagesNormalisation) {
  EXPECT_TRUE(IsUnknownToNormalization(0x08D3));
  EXPECT_FALSE(IsUnknownToNormalization(0x0301));
  EXPECT_FALSE(IsUnknownToNormalization(0));
  EXPECT_FALSE(IsUnknownToNormalization(0x10FFFF));
}

TEST(UnicodeVersionsTest, PunctuationIsAsciiSymbolsAndWhatThePackageKnows) {
  const SplitPattern pattern(PunctuationPattern());
  SplitPattern::Scanner scanner(pattern);
  for (const char* known : {"!", "$", "+", "~", "\u3002", "\u2014"}) {
    scanner.Start(known);
    EXPECT_TRUE(scanner.Next().has_value()) << known;
  }
  for (const char* unknown : {"a", " ", "\u2E43", "\u1B4E", "\u20AC"}) {
    scanner.Start(unknown);
    EXPECT_FALSE(scanner.Next().has_value()) << unknown;
  }
}

}  // namespace
}  // namespace hyperpp::data

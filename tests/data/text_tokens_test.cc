#include "hyperpp/data/text_tokens.h"

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
using testing::ByteIds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class TextTokensTest : public testing::DataFiles {};

TEST_F(TextTokensTest, EachFileIsADocumentWithItsEndAndEmptyOnesAreLeftOut) {
  const TextTokens tokens({Write("a.txt", "ab"), Write("b.txt", ""), Write("c.txt", "c")},
                          ByteIds(), 256);
  std::vector<int32_t> all(static_cast<size_t>(tokens.NumTokens()));
  tokens.Read(0, all);
  EXPECT_THAT(all, ElementsAre('a', 'b', 256, 'c', 256));
  std::vector<int32_t> part(2);
  tokens.Read(1, part);
  EXPECT_THAT(part, ElementsAre('b', 256));
}

TEST_F(TextTokensTest, PlacesNameTheFileAndTheTokenInIt) {
  const TextTokens tokens({Write("a.txt", "ab"), Write("c.txt", "cd")}, ByteIds(), 256);
  EXPECT_EQ(tokens.PlaceOf(2), Path("a.txt") + ", token 2");
  EXPECT_EQ(tokens.PlaceOf(4), Path("c.txt") + ", token 1");
  ASSERT_TRUE(tokens.FindOutside(256));
  EXPECT_EQ(tokens.FindOutside(256)->offset, 2);
  EXPECT_FALSE(tokens.FindOutside(257));
  EXPECT_TRUE(tokens.Contains(256));
  EXPECT_FALSE(tokens.Contains('x'));
}

TEST_F(TextTokensTest, MissingFilesAndFoldersAreNamed) {
  EXPECT_THAT(ErrorText<InputError>([&] { TextTokens({Path("no.txt")}, ByteIds(), 256); }),
              HasSubstr("no.txt: no such file"));
  EXPECT_THAT(ErrorText<InputError>([&] { TextTokens({Path("")}, ByteIds(), 256); }),
              HasSubstr("is a folder"));
}

}  // namespace
}  // namespace hyperpp::data

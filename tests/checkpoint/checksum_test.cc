#include "hyperpp/checkpoint/checksum.h"

#include <gtest/gtest.h>

namespace hyperpp::checkpoint {
namespace {

// Value of the empty input in xxHash's specification; files written today must verify for ever.
TEST(ChecksumTest, IsXxh3WithSeedZero) {
  EXPECT_EQ(ChecksumText(Checksum("", 0)), "2d06800538d394c2");
}

TEST(ChecksumTest, EveryBitCounts) {
  std::string bytes(300, 'x');
  const uint64_t before = Checksum(bytes.data(), bytes.size());
  for (size_t i = 0; i < bytes.size() * 8; ++i) {
    bytes[i / 8] = static_cast<char>(bytes[i / 8] ^ (1 << (i % 8)));
    EXPECT_NE(Checksum(bytes.data(), bytes.size()), before) << "bit " << i;
    bytes[i / 8] = static_cast<char>(bytes[i / 8] ^ (1 << (i % 8)));
  }
}

TEST(ChecksumTest, TextIsReadBackExactly) {
  EXPECT_EQ(ParseChecksum(ChecksumText(0x1f)), 0x1f);
  EXPECT_FALSE(ParseChecksum("1f"));
  EXPECT_FALSE(ParseChecksum("000000000000001F"));
  EXPECT_FALSE(ParseChecksum("00000000000001f "));
}

}  // namespace
}  // namespace hyperpp::checkpoint

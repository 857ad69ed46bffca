#include "hyperpp/data/tokenizers/piece_cache.h"

#include <gtest/gtest.h>

namespace hyperpp::data {
namespace {

TEST(PieceCacheTest, APieceKeepsItsSlotUntilAnotherTakesIt) {
  PieceCache cache(0);  // one slot
  PieceCache::Slot* slot = cache.SlotOf("one");
  ASSERT_NE(slot, nullptr);
  EXPECT_EQ(slot->count, 0u);
  *slot = {"one", 3, 2};
  EXPECT_EQ(cache.SlotOf("one")->piece, "one");
  EXPECT_EQ(cache.SlotOf("two"), slot);
}

TEST(PieceCacheTest, LongPiecesHaveNone) {
  PieceCache cache(size_t{1} << 30);
  EXPECT_NE(cache.SlotOf(std::string(48, 'x')), nullptr);
  EXPECT_EQ(cache.SlotOf(std::string(49, 'x')), nullptr);
}

}  // namespace
}  // namespace hyperpp::data

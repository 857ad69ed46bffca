// Remembers the ids of pieces within one call of Encode: most pieces of a text are words that
// occurred before in it.
//
// Direct-mapped: a piece has one slot, and the newest piece holds it. The ids are not copied: a
// slot points to where they stand in the result so far.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace hyperpp::data {

class PieceCache {
 public:
  struct Slot {
    std::string piece;
    size_t first = 0;  // of its ids in the result
    size_t count = 0;  // 0: unused
  };

  /// A cache for a text of `text_bytes`: small for small texts, at most 16384 slots.
  explicit PieceCache(size_t text_bytes)
      : slots_(std::bit_ceil(std::min(kMostSlots, text_bytes / kBytesPerSlot + 1))) {}

  /// Slot of `piece`; null for long pieces, which seldom come again.
  Slot* SlotOf(std::string_view piece) {
    if (piece.size() > kLongestPiece) return nullptr;
    return &slots_[std::hash<std::string_view>{}(piece) & (slots_.size() - 1)];
  }

 private:
  static constexpr size_t kMostSlots = 16384;
  static constexpr size_t kBytesPerSlot = 8;
  static constexpr size_t kLongestPiece = 48;

  std::vector<Slot> slots_;
};

}  // namespace hyperpp::data

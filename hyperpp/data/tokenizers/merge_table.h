// The merges of a byte-pair model by pair of ids: a flat hash table, looked up for each pair of
// neighbours in each piece of text, and so the inner loop of encoding.
//
// Open addressing with linear probing at a load of at most one half; the key is both ids in one
// word, an empty slot is the pair (-1, -1).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace hyperpp::data {

struct Merge {
  uint32_t rank = 0;   // lower merges first
  int32_t merged = 0;  // id of the two tokens together
};

class MergeTable {
 public:
  explicit MergeTable(size_t num_merges);

  /// Adds the merge of `left` and `right`; a pair that is there already is replaced.
  /// REQUIRES: at most `num_merges` calls; ids are not negative.
  void Insert(int32_t left, int32_t right, Merge merge);

  /// The merge of the pair, or null.
  const Merge* Find(int32_t left, int32_t right) const {
    const uint64_t key = Key(left, right);
    for (size_t slot = Hash(key) & mask_;; slot = (slot + 1) & mask_) {
      if (slots_[slot].key == key) return &slots_[slot].merge;
      if (slots_[slot].key == kEmpty) return nullptr;
    }
  }

 private:
  static constexpr uint64_t kEmpty = ~uint64_t{0};

  struct Slot {
    uint64_t key = kEmpty;
    Merge merge;
  };

  static uint64_t Key(int32_t left, int32_t right) {
    return uint64_t{static_cast<uint32_t>(left)} << 32 | static_cast<uint32_t>(right);
  }
  // The golden ratio times 2^64 spreads the ids over the high bits.
  static size_t Hash(uint64_t key) { return (key * 0x9E3779B97F4A7C15ULL) >> 32; }

  std::vector<Slot> slots_;
  size_t mask_;
};

}  // namespace hyperpp::data

#include "hyperpp/data/tokenizers/merge_table.h"

#include <algorithm>
#include <bit>

namespace hyperpp::data {

MergeTable::MergeTable(size_t num_merges)
    : slots_(std::bit_ceil(std::max<size_t>(2 * num_merges, 16))), mask_(slots_.size() - 1) {}

void MergeTable::Insert(int32_t left, int32_t right, Merge merge) {
  const uint64_t key = Key(left, right);
  size_t slot = Hash(key) & mask_;
  while (slots_[slot].key != kEmpty && slots_[slot].key != key) slot = (slot + 1) & mask_;
  slots_[slot] = {key, merge};
}

}  // namespace hyperpp::data

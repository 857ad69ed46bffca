// Applies byte-pair merges to the tokens of one piece; see bpe_model.h for the rule.
#pragma once

#include <cstddef>
#include <cstdint>

#include "hyperpp/data/tokenizers/merge_table.h"

namespace hyperpp::data {

/// Merges the `size` ids at `ids` in place until no pair has a merge; returns how many remain.
size_t MergeAll(const MergeTable& merges, int32_t* ids, size_t size);

/// The two ways, with the same result: rescan all pairs after each merge, O(n^2) with a small
/// constant, for at most kLongestRescanned ids; or keep the pairs in a heap, O(n log n).
size_t MergeByRescan(const MergeTable& merges, int32_t* ids, size_t size);
size_t MergeByHeap(const MergeTable& merges, int32_t* ids, size_t size);
inline constexpr size_t kLongestRescanned = 96;

}  // namespace hyperpp::data

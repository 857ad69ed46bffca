#include "hyperpp/data/tokenizers/merge_loop.h"

#include <algorithm>
#include <array>
#include <limits>
#include <queue>
#include <vector>

namespace hyperpp::data {
namespace {

constexpr uint32_t kNoRank = std::numeric_limits<uint32_t>::max();
constexpr Merge kNoMerge{kNoRank, 0};

Merge MergeOf(const MergeTable& merges, int32_t left, int32_t right) {
  const Merge* merge = merges.Find(left, right);
  return merge != nullptr ? *merge : kNoMerge;
}

// A merge that was possible when it entered the heap.
struct Candidate {
  uint32_t rank;
  int32_t merged;
  size_t left;  // index of its left token

  // Order of the heap: the top has the lowest rank, and of equals the leftmost.
  bool operator<(const Candidate& other) const {
    return rank != other.rank ? rank > other.rank : left > other.left;
  }
};

// One token in the linked list of those that remain.
struct Node {
  int32_t id;
  bool is_gone;
  size_t previous;
  size_t next;
};
constexpr size_t kNone = std::numeric_limits<size_t>::max();

}  // namespace

size_t MergeByRescan(const MergeTable& merges, int32_t* ids, size_t size) {
  if (size < 2) return size;
  std::array<Merge, kLongestRescanned> pairs;  // pairs[i]: merge of ids[i] and ids[i + 1]
  for (size_t i = 0; i + 1 < size; ++i) pairs[i] = MergeOf(merges, ids[i], ids[i + 1]);
  while (size > 1) {
    size_t best = 0;
    for (size_t i = 1; i + 1 < size; ++i) {
      if (pairs[i].rank < pairs[best].rank) best = i;
    }
    if (pairs[best].rank == kNoRank) break;
    ids[best] = pairs[best].merged;
    std::copy(ids + best + 2, ids + size, ids + best + 1);
    std::copy(pairs.begin() + best + 1, pairs.begin() + (size - 1), pairs.begin() + best);
    --size;
    if (best + 1 < size) pairs[best] = MergeOf(merges, ids[best], ids[best + 1]);
    if (best > 0) pairs[best - 1] = MergeOf(merges, ids[best - 1], ids[best]);
  }
  return size;
}

size_t MergeByHeap(const MergeTable& merges, int32_t* ids, size_t size) {
  if (size < 2) return size;
  std::vector<Node> nodes(size);
  std::vector<Candidate> candidates;
  const auto candidate_at = [&](size_t left) {
    const Merge merge = MergeOf(merges, nodes[left].id, nodes[nodes[left].next].id);
    return Candidate{merge.rank, merge.merged, left};
  };
  for (size_t i = 0; i < size; ++i) {
    nodes[i] = {ids[i], false, i == 0 ? kNone : i - 1, i + 1 == size ? kNone : i + 1};
  }
  for (size_t i = 0; i + 1 < size; ++i) {
    if (const Candidate c = candidate_at(i); c.rank != kNoRank) candidates.push_back(c);
  }
  std::priority_queue<Candidate> heap({}, std::move(candidates));
  while (!heap.empty()) {
    const Candidate top = heap.top();
    heap.pop();
    Node& left = nodes[top.left];
    // Passed over if one of its tokens has changed since: then the pair is another one.
    if (left.is_gone || left.next == kNone || candidate_at(top.left).rank != top.rank) continue;
    Node& right = nodes[left.next];
    left.id = top.merged;
    right.is_gone = true;
    left.next = right.next;
    if (left.next != kNone) {
      nodes[left.next].previous = top.left;
      if (const Candidate c = candidate_at(top.left); c.rank != kNoRank) heap.push(c);
    }
    if (left.previous != kNone) {
      if (const Candidate c = candidate_at(left.previous); c.rank != kNoRank) heap.push(c);
    }
  }
  size_t remaining = 0;
  for (size_t i = 0; i != kNone; i = nodes[i].next) ids[remaining++] = nodes[i].id;
  return remaining;
}

size_t MergeAll(const MergeTable& merges, int32_t* ids, size_t size) {
  return size <= kLongestRescanned ? MergeByRescan(merges, ids, size)
                                   : MergeByHeap(merges, ids, size);
}

}  // namespace hyperpp::data

// Byte-pair encoding: the model part of a tokenizer.json, from the bytes of one piece to ids.
//
// A piece starts as one token per byte. Then the pair of neighbours whose merge has the lowest rank
// (the leftmost of equals) becomes one token, again and again, until no pair has a merge:
//
//     l o w e r      merges: 0 (l o), 1 (lo w), 2 (e r)
//     lo w e r
//     low e r
//     low er
//
// Short pieces rescan all pairs after each merge; long ones keep the pairs in a heap, O(n log n).
// Source: arXiv:1508.07909, section 3.2; `tokenizers`, models/bpe.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "hyperpp/data/tokenizers/merge_table.h"

namespace hyperpp::data {

/// Content of the model part; tokens are in the alphabet of byte_alphabet.h.
struct BpeParts {
  std::unordered_map<std::string, int32_t> vocabulary;
  std::vector<std::pair<std::string, std::string>> merges;  // by rank
  bool ignore_merges = false;  // a piece that is a token becomes it, whatever the merges say
  std::optional<std::string> unknown_token;  // for bytes that have no token; without it they vanish
  bool fuse_unknown = false;                 // one unknown token for a run of such bytes
};

class BpeModel {
 public:
  /// Errors: InputError if a merge or the unknown token is not in the vocabulary.
  explicit BpeModel(const BpeParts& parts);

  /// Appends the ids of `piece`.
  void Encode(std::string_view piece, std::vector<int32_t>& ids) const;

 private:
  // Ids of the single bytes of `piece`, before any merge.
  void StartWithBytes(std::string_view piece, std::vector<int32_t>& ids) const;

  std::array<int32_t, 256> byte_ids_;  // -1: the byte has no token
  MergeTable merges_;
  std::optional<int32_t> unknown_id_;
  bool fuse_unknown_;

  struct HashView : std::hash<std::string_view> {
    using is_transparent = void;
  };
  // Bytes to id of every token; filled only for ignore_merges.
  std::unordered_map<std::string, int32_t, HashView, std::equal_to<>> whole_pieces_;
};

}  // namespace hyperpp::data

// Reader of Megatron-style token files. PREFIX.bin holds nothing but tokens, document after
// document; PREFIX.idx says where each one starts. All numbers are little endian:
//
//     offset 0      9 bytes   "MMIDIDX", 0, 0
//            9      uint64    version, 1
//           17      uint8     code of the token type (token_type.h)
//           18      uint64    number of sequences n
//           26      uint64    number of document boundaries d
//           34      int32[n]  length of each sequence, tokens
//           34+4n   int64[n]  offset of each sequence in PREFIX.bin, bytes
//           34+12n  int64[d]  document boundaries: the first sequence of each document, then n
//
// Both files are memory mapped. Opening checks every number of the index against the others and
// against the sizes of both files, so that reading cannot fail later.
//
// Source: megatron/core/datasets/indexed_dataset.py, classes _IndexWriter and _IndexReader.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "hyperpp/data/mapped_file.h"
#include "hyperpp/data/token_scan.h"
#include "hyperpp/data/token_stream.h"
#include "hyperpp/data/token_type.h"

namespace hyperpp::data {

inline constexpr std::string_view kIndexMagic("MMIDIDX\0\0", 9);
inline constexpr uint64_t kIndexVersion = 1;
inline constexpr int64_t kIndexHeaderBytes = 34;

/// PREFIX of a path given as PREFIX, PREFIX.bin or PREFIX.idx.
std::string IndexedPrefix(const std::string& path);

class IndexedDataset : public TokenStream {
 public:
  /// Opens `path` (with or without .bin or .idx) and checks it.
  /// Errors: InputError naming file, offset, what is there and what is needed.
  explicit IndexedDataset(const std::string& path);

  TokenType type() const { return type_; }
  int64_t NumSequences() const { return num_sequences_; }
  int64_t NumDocuments() const { return num_boundaries_ - 1; }
  /// Tokens of sequence `index`.
  int64_t SequenceLength(int64_t index) const;
  /// First sequence of document `index`; of NumDocuments(): one past the last sequence.
  int64_t DocumentStart(int64_t index) const;
  /// Smallest and largest id; reads everything. REQUIRES: at least one token.
  TokenRange Range() const;

  const std::string& name() const override { return bin_.path(); }
  int64_t NumTokens() const override { return tokens_.size(); }
  void Read(int64_t first, std::span<int32_t> out) const override;
  std::optional<FoundToken> FindOutside(int64_t vocab_size) const override;
  bool Contains(int64_t id) const override;
  std::string PlaceOf(int64_t offset) const override;

 private:
  void ReadHeader();
  void CheckIndexSize() const;
  void CheckSequences() const;
  void CheckDocuments() const;
  // Calls `visit(first token, tokens)` piece by piece until it returns true, giving pages back.
  void ForEachPiece(const std::function<bool(int64_t, TokenView)>& visit) const;

  MappedFile idx_;
  MappedFile bin_;
  TokenType type_ = TokenType::kInt32;
  int64_t num_sequences_ = 0;
  int64_t num_boundaries_ = 0;
  std::span<const std::byte> lengths_, pointers_, boundaries_;  // parts of idx_
  TokenView tokens_;                                            // all of bin_
};

}  // namespace hyperpp::data

// Writer of Megatron-style token files (format: indexed_dataset.h). Each document is one sequence.
//
// Both files grow under temporary names. Finish() first removes an older index, then names the
// tokens, then the index: a crash in between leaves tokens without an index, which is reported,
// never an old index beside new tokens.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "hyperpp/data/output_file.h"
#include "hyperpp/data/token_type.h"

namespace hyperpp::data {

class IndexedWriter {
 public:
  /// Starts PREFIX.bin and PREFIX.idx. Errors: IoError.
  IndexedWriter(std::string prefix, TokenType type);

  /// Appends a document; it may be empty. REQUIRES: every id fits the token type.
  /// Errors: IoError; InputError if the document has more tokens than an index entry can count.
  void AddDocument(std::span<const int32_t> tokens);
  /// Completes both files. Errors: IoError. REQUIRES: called once, last.
  void Finish();

  int64_t NumDocuments() const { return static_cast<int64_t>(lengths_.size()); }
  int64_t NumTokens() const { return num_tokens_; }

 private:
  void WriteIndex();

  std::string prefix_;
  TokenType type_;
  OutputFile bin_;
  OutputFile idx_;
  std::vector<int32_t> lengths_;
  int64_t num_tokens_ = 0;
};

}  // namespace hyperpp::data

// Byte-level BPE with all that stands around the model in a tokenizer.json:
//
//     text -> added tokens -> normalisation -> added tokens -> pre-tokenizer -> merges -> ids
//
// Text that is not UTF-8 is kept: each run of such bytes is a piece of its own, of which only the
// merges see anything. Source: `tokenizers`, tokenizer/mod.rs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "hyperpp/data/tokenizers/added_tokens.h"
#include "hyperpp/data/tokenizers/bpe_model.h"
#include "hyperpp/data/tokenizers/pre_tokenizer.h"
#include "hyperpp/data/tokenizers/tokenizer.h"
#include "hyperpp/data/tokenizers/unicode_normalization.h"

namespace hyperpp::data {

/// Content of a tokenizer.json; tokenizer_json.h reads it.
struct BpeTokenizerParts {
  std::vector<AddedToken> added_tokens;
  std::vector<NormalForm> normal_forms;  // applied in turn
  PreTokenizer pre_tokenizer;
  BpeParts model;
};

class BpeTokenizer : public Tokenizer {
 public:
  /// Errors: InputError if the parts contradict each other.
  explicit BpeTokenizer(BpeTokenizerParts parts);

  std::vector<int32_t> Encode(std::string_view text) const override;
  /// Bytes that are not UTF-8 become U+FFFD; ids that the file does not define are left out.
  std::string Decode(const std::vector<int32_t>& ids, bool skip_special = true) const override;
  int64_t VocabSize() const override;

 private:
  class Encoder;

  struct Entry {
    bool is_defined = false;
    bool is_special = false;
    std::string bytes;
  };

  std::string NormalizeAll(std::string_view text) const;
  std::vector<AddedToken> Select(const std::vector<AddedToken>& tokens, bool normalized) const;
  void Define(int32_t id, const std::string& token, bool is_special);

  std::vector<NormalForm> normal_forms_;
  AddedTokenSearch search_text_;
  AddedTokenSearch search_normalized_;
  PreTokenizer pre_tokenizer_;
  BpeModel model_;
  std::vector<Entry> entries_;  // by id
};

}  // namespace hyperpp::data

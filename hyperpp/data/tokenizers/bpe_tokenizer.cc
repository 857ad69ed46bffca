#include "hyperpp/data/tokenizers/bpe_tokenizer.h"

#include <algorithm>
#include <utility>

#include "hyperpp/core/error.h"
#include "hyperpp/data/tokenizers/byte_alphabet.h"
#include "hyperpp/data/tokenizers/piece_cache.h"
#include "hyperpp/data/tokenizers/utf8.h"

namespace hyperpp::data {

BpeTokenizer::BpeTokenizer(BpeTokenizerParts parts)
    : normal_forms_(std::move(parts.normal_forms)),
      search_text_(Select(parts.added_tokens, false)),
      search_normalized_(Select(parts.added_tokens, true)),
      pre_tokenizer_(std::move(parts.pre_tokenizer)),
      model_(parts.model) {
  for (const auto& [token, id] : parts.model.vocabulary) Define(id, token, false);
  for (const AddedToken& token : parts.added_tokens) {
    // What the search finds in the text is what decoding gives back.
    Define(token.id, token.normalized ? NormalizeAll(token.content) : token.content, token.special);
  }
}

std::vector<AddedToken> BpeTokenizer::Select(const std::vector<AddedToken>& tokens,
                                             bool normalized) const {
  std::vector<AddedToken> selected;
  for (AddedToken token : tokens) {
    if (token.normalized != normalized) continue;
    if (normalized) token.content = NormalizeAll(token.content);
    selected.push_back(std::move(token));
  }
  return selected;
}

void BpeTokenizer::Define(int32_t id, const std::string& token, bool is_special) {
  const auto index = static_cast<size_t>(id);
  if (index >= entries_.size()) entries_.resize(index + 1);
  entries_[index] = {true, is_special, BytesOfToken(token).value_or(token)};
}

std::string BpeTokenizer::NormalizeAll(std::string_view text) const {
  std::string result(text);
  for (const NormalForm form : normal_forms_) {
    if (!IsPlainlyNormal(result, form)) result = Normalize(result, form);
  }
  return result;
}

// One call of Encode: its result, and what it remembers.
class BpeTokenizer::Encoder {
 public:
  Encoder(const BpeTokenizer& tokenizer, size_t text_bytes)
      : tokenizer_(tokenizer), pass_(tokenizer.pre_tokenizer_), cache_(text_bytes) {
    ids_.reserve(text_bytes / 4);
  }

  void AddText(std::string_view text) {
    tokenizer_.search_text_.Split(
        text,
        [this](std::string_view part) {
          if (tokenizer_.normal_forms_.empty()) return AddNormalized(part);
          AddNormalized(tokenizer_.NormalizeAll(part));
        },
        [this](int32_t id) { ids_.push_back(id); });
  }

  void AddPiece(std::string_view piece) {
    PieceCache::Slot* slot = cache_.SlotOf(piece);
    if (slot == nullptr) return tokenizer_.model_.Encode(piece, ids_);
    if (slot->count > 0 && slot->piece == piece) {
      for (size_t i = 0; i < slot->count; ++i) ids_.push_back(ids_[slot->first + i]);
      return;
    }
    const size_t first = ids_.size();
    tokenizer_.model_.Encode(piece, ids_);
    slot->piece.assign(piece);
    slot->first = first;
    slot->count = ids_.size() - first;
  }

  std::vector<int32_t> Take() { return std::move(ids_); }

 private:
  void AddNormalized(std::string_view text) {
    tokenizer_.search_normalized_.Split(
        text,
        [this](std::string_view part) {
          pass_.Split(part, [this](std::string_view piece) { AddPiece(piece); });
        },
        [this](int32_t id) { ids_.push_back(id); });
  }

  const BpeTokenizer& tokenizer_;
  PreTokenizer::Pass pass_;
  PieceCache cache_;
  std::vector<int32_t> ids_;
};

std::vector<int32_t> BpeTokenizer::Encode(std::string_view text) const {
  Encoder encoder(*this, text.size());
  while (!text.empty()) {
    const size_t valid = ValidUtf8Prefix(text);
    if (valid > 0) encoder.AddText(text.substr(0, valid));
    text.remove_prefix(valid);
    const size_t invalid = InvalidUtf8Prefix(text);
    if (invalid > 0) encoder.AddPiece(text.substr(0, invalid));
    text.remove_prefix(invalid);
  }
  return encoder.Take();
}

std::string BpeTokenizer::Decode(const std::vector<int32_t>& ids, bool skip_special) const {
  std::string bytes;
  for (const int32_t id : ids) {
    if (id < 0 || id >= VocabSize()) continue;
    const Entry& entry = entries_[static_cast<size_t>(id)];
    if (entry.is_defined && !(skip_special && entry.is_special)) bytes += entry.bytes;
  }
  return ReplaceInvalidUtf8(bytes);
}

int64_t BpeTokenizer::VocabSize() const { return static_cast<int64_t>(entries_.size()); }

}  // namespace hyperpp::data

// UTF-8 text files, tokenised into memory when they are opened: one document a file, each followed
// by the end-of-document id. Empty files are left out. For texts that are large or used again,
// `hyperpp data prepare` (prepare.h) does this once and for all ranks.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hyperpp/data/token_stream.h"
#include "hyperpp/data/tokenizers/tokenizer.h"

namespace hyperpp::data {

class TextTokens : public TokenStream {
 public:
  /// Reads and tokenises `paths`, in order. Errors: InputError / IoError naming the file.
  TextTokens(const std::vector<std::string>& paths, const Tokenizer& tokenizer,
             int32_t document_end);

  const std::string& name() const override { return name_; }
  int64_t NumTokens() const override { return static_cast<int64_t>(tokens_.size()); }
  void Read(int64_t first, std::span<int32_t> out) const override;
  std::optional<FoundToken> FindOutside(int64_t vocab_size) const override;
  bool Contains(int64_t id) const override;
  std::string PlaceOf(int64_t offset) const override;

 private:
  struct Document {
    int64_t start;
    std::string path;
  };

  TokenView View() const { return {TokenType::kInt32, std::as_bytes(std::span(tokens_))}; }

  std::string name_;
  std::vector<int32_t> tokens_;
  std::vector<Document> documents_;
};

}  // namespace hyperpp::data

// SentencePiece models (*.model), through the sentencepiece library: it normalises, splits and
// scores as the model file says (unigram or BPE). Source: arXiv:1808.06226.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hyperpp/data/tokenizers/tokenizer.h"

namespace sentencepiece {
class SentencePieceProcessor;
}

namespace hyperpp::data {

class SentencePieceTokenizer : public Tokenizer {
 public:
  /// Errors: IoError if `path` cannot be read, InputError if it holds no model.
  explicit SentencePieceTokenizer(const std::string& path);
  ~SentencePieceTokenizer() override;

  /// Bytes that are not UTF-8 become U+FFFD, as in the library.
  std::vector<int32_t> Encode(std::string_view text) const override;
  /// Without `skip_special`, the text between control tokens is decoded run by run, and their names
  /// stand between the runs. Ids outside the vocabulary are left out.
  std::string Decode(const std::vector<int32_t>& ids, bool skip_special = true) const override;
  int64_t VocabSize() const override;
  /// The model's eos, if it has one.
  std::optional<int32_t> EndOfDocument() const override;

 private:
  std::string path_;
  std::unique_ptr<sentencepiece::SentencePieceProcessor> processor_;
};

}  // namespace hyperpp::data

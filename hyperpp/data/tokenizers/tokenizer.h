// Text to token ids and back: bytes, sentencepiece models, and byte-level BPE from a Hugging Face
// tokenizer.json. Other kinds of tokenizer.json are refused by name.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hyperpp::data {

class Tokenizer {
 public:
  virtual ~Tokenizer() = default;
  /// Ids of `text` (UTF-8; invalid bytes are kept by the byte-level kinds), without special tokens
  /// added at the ends; special tokens written out in the text become their ids where the file says
  /// so.
  virtual std::vector<int32_t> Encode(std::string_view text) const = 0;
  /// Text of `ids`; special tokens are left out if `skip_special`.
  virtual std::string Decode(const std::vector<int32_t>& ids, bool skip_special = true) const = 0;
  /// One more than the largest id.
  virtual int64_t VocabSize() const = 0;
  /// The end-of-document id, where the kind defines one (bytes: 256; sentencepiece: its eos).
  virtual std::optional<int32_t> EndOfDocument() const { return std::nullopt; }
};

/// Opens "bytes", a sentencepiece model (*.model), or a tokenizer.json (or a folder that holds
/// one). Errors: IoError if it cannot be read; InputError naming the file and the unsupported part.
std::unique_ptr<Tokenizer> OpenTokenizer(const std::string& name);

}  // namespace hyperpp::data

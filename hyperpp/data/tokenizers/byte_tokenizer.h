// The tokenizer "bytes": id = byte, and 256 for the end of a document. It needs no file and loses
// nothing, which makes it the one for tests and first runs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hyperpp/data/tokenizers/tokenizer.h"

namespace hyperpp::data {

class ByteTokenizer : public Tokenizer {
 public:
  std::vector<int32_t> Encode(std::string_view text) const override;
  /// Bytes that are not UTF-8 become U+FFFD; 256 is "" or "<|end|>"; other ids are left out.
  std::string Decode(const std::vector<int32_t>& ids, bool skip_special = true) const override;
  int64_t VocabSize() const override;
  std::optional<int32_t> EndOfDocument() const override;
};

}  // namespace hyperpp::data

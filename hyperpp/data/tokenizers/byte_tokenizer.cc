#include "hyperpp/data/tokenizers/byte_tokenizer.h"

#include "hyperpp/data/tokenizers/utf8.h"

namespace hyperpp::data {
namespace {
constexpr int32_t kNumBytes = 256;
constexpr int32_t kEndOfDocument = kNumBytes;
constexpr std::string_view kEndText = "<|end|>";
}  // namespace

std::vector<int32_t> ByteTokenizer::Encode(std::string_view text) const {
  std::vector<int32_t> ids;
  ids.reserve(text.size());
  for (const char c : text) ids.push_back(static_cast<unsigned char>(c));
  return ids;
}

std::string ByteTokenizer::Decode(const std::vector<int32_t>& ids, bool skip_special) const {
  std::string bytes;
  for (const int32_t id : ids) {
    if (id >= 0 && id < kNumBytes) {
      bytes.push_back(static_cast<char>(id));
    } else if (id == kEndOfDocument && !skip_special) {
      bytes.append(kEndText);
    }
  }
  return ReplaceInvalidUtf8(bytes);
}

int64_t ByteTokenizer::VocabSize() const { return kEndOfDocument + 1; }

std::optional<int32_t> ByteTokenizer::EndOfDocument() const { return kEndOfDocument; }

}  // namespace hyperpp::data

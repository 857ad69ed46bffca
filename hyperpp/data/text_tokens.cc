#include "hyperpp/data/text_tokens.h"

#include <algorithm>

#include "hyperpp/core/error.h"
#include "hyperpp/data/mapped_file.h"

namespace hyperpp::data {

TextTokens::TextTokens(const std::vector<std::string>& paths, const Tokenizer& tokenizer,
                       int32_t document_end) {
  HYPERPP_CHECK(!paths.empty(), "no text files");
  name_ = paths.size() == 1 ? paths[0]
                            : fmt::format("{} and {} more files", paths[0], paths.size() - 1);
  for (const std::string& path : paths) {
    const MappedFile file(path);
    const std::vector<int32_t> ids = tokenizer.Encode(file.text());
    if (ids.empty()) continue;
    documents_.push_back({NumTokens(), path});
    tokens_.insert(tokens_.end(), ids.begin(), ids.end());
    tokens_.push_back(document_end);
  }
}

void TextTokens::Read(int64_t first, std::span<int32_t> out) const {
  HYPERPP_CHECK(first >= 0 && first + static_cast<int64_t>(out.size()) <= NumTokens(),
                "{}: tokens {} + {} of {}", name_, first, out.size(), NumTokens());
  std::copy_n(tokens_.begin() + first, out.size(), out.begin());
}

std::optional<FoundToken> TextTokens::FindOutside(int64_t vocab_size) const {
  return data::FindOutside(View(), vocab_size);
}

bool TextTokens::Contains(int64_t id) const { return data::Contains(View(), id); }

std::string TextTokens::PlaceOf(int64_t offset) const {
  const auto after = std::upper_bound(
      documents_.begin(), documents_.end(), offset,
      [](int64_t value, const Document& document) { return value < document.start; });
  HYPERPP_CHECK(after != documents_.begin(), "no document holds token {}", offset);
  const Document& document = *(after - 1);
  return fmt::format("{}, token {}", document.path, offset - document.start);
}

}  // namespace hyperpp::data

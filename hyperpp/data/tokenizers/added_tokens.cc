#include "hyperpp/data/tokenizers/added_tokens.h"

#include <algorithm>
#include <utility>

#include "hyperpp/data/tokenizers/split_pattern.h"
#include "hyperpp/data/tokenizers/utf8.h"

namespace hyperpp::data {
namespace {

// \w of Rust's regular expressions: Unicode Technical Standard 18, annex C.
bool IsWordCharacter(std::string_view character) {
  const SplitPattern word(R"([\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\x{200c}\x{200d}])");
  SplitPattern::Scanner scanner(word);
  scanner.Start(character);
  return scanner.Next().has_value();
}

// Start of the last character of `text`, which is not empty.
size_t LastCharacter(std::string_view text) {
  size_t at = text.size() - 1;
  while ((static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) --at;
  return at;
}

bool StandsAsWord(std::string_view text, size_t begin, size_t end) {
  if (begin > 0) {
    const size_t before = LastCharacter(text.substr(0, begin));
    if (IsWordCharacter(text.substr(before, begin - before))) return false;
  }
  return end == text.size() || !IsWordCharacter(text.substr(end, Utf8Length(text.substr(end))));
}

bool IsWhitespaceCharacter(std::string_view character) {
  return IsWhitespace(DecodeUtf8(character.data(), character.size()));
}

size_t SkipWhitespaceBack(std::string_view text, size_t at) {
  while (at > 0) {
    const size_t before = LastCharacter(text.substr(0, at));
    if (!IsWhitespaceCharacter(text.substr(before, at - before))) break;
    at = before;
  }
  return at;
}

size_t SkipWhitespace(std::string_view text, size_t at) {
  while (at < text.size()) {
    const size_t length = Utf8Length(text.substr(at));
    if (!IsWhitespaceCharacter(text.substr(at, length))) break;
    at += length;
  }
  return at;
}

}  // namespace

AddedTokenSearch::AddedTokenSearch(std::vector<AddedToken> tokens) : tokens_(std::move(tokens)) {
  token_at_.push_back(-1);
  for (size_t i = 0; i < tokens_.size(); ++i) {
    int32_t node = 0;
    for (const char c : tokens_[i].content) {
      const auto byte = static_cast<unsigned char>(c);
      int32_t child = Child(node, byte);
      if (child == 0) {
        child = static_cast<int32_t>(token_at_.size());
        token_at_.push_back(-1);
        if (node == 0) {
          roots_[byte] = child;
        } else {
          children_[static_cast<uint64_t>(node) << 8 | byte] = child;
        }
      }
      node = child;
    }
    if (node != 0 && token_at_[node] < 0) token_at_[node] = static_cast<int32_t>(i);
  }
}

int32_t AddedTokenSearch::Child(int32_t node, unsigned char byte) const {
  if (node == 0) return roots_[byte];
  const auto found = children_.find(static_cast<uint64_t>(node) << 8 | byte);
  return found == children_.end() ? 0 : found->second;
}

AddedTokenSearch::Found AddedTokenSearch::FindFrom(std::string_view text, size_t at) const {
  for (size_t begin = at; begin < text.size(); ++begin) {
    if (roots_[static_cast<unsigned char>(text[begin])] == 0) continue;
    Found longest;
    int32_t node = 0;
    for (size_t end = begin; end < text.size(); ++end) {
      node = Child(node, static_cast<unsigned char>(text[end]));
      if (node == 0) break;
      if (token_at_[node] >= 0) longest = {begin, end + 1, token_at_[node]};
    }
    if (longest.token >= 0) return longest;
  }
  return {};
}

void AddedTokenSearch::Split(std::string_view text, const PieceSink& on_text,
                             const IdSink& on_id) const {
  size_t done = 0;
  size_t at = 0;
  while (!tokens_.empty()) {
    Found found = FindFrom(text, at);
    if (found.token < 0) break;
    at = found.end;
    const AddedToken& token = tokens_[found.token];
    if (token.single_word && !StandsAsWord(text, found.begin, found.end)) continue;
    if (token.lstrip) found.begin = std::max(SkipWhitespaceBack(text, found.begin), done);
    if (token.rstrip) found.end = SkipWhitespace(text, found.end);
    if (done < found.begin) on_text(text.substr(done, found.begin - done));
    on_id(token.id);
    done = found.end;
  }
  if (done < text.size()) on_text(text.substr(done));
}

}  // namespace hyperpp::data

#include "hyperpp/data/tokenizers/utf8.h"

#include <cstdint>
#include <cstring>

namespace hyperpp::data {
namespace {

struct LeadByte {
  size_t length;        // of the whole sequence; 0: cannot start one
  unsigned char first;  // bounds of the second byte
  unsigned char last;
};

LeadByte ClassifyLead(unsigned char lead) {
  if (lead < 0x80) return {1, 0, 0};
  if (lead < 0xC2) return {0, 0, 0};
  if (lead < 0xE0) return {2, 0x80, 0xBF};
  if (lead == 0xE0) return {3, 0xA0, 0xBF};
  if (lead == 0xED) return {3, 0x80, 0x9F};
  if (lead < 0xF0) return {3, 0x80, 0xBF};
  if (lead == 0xF0) return {4, 0x90, 0xBF};
  if (lead < 0xF4) return {4, 0x80, 0xBF};
  if (lead == 0xF4) return {4, 0x80, 0x8F};
  return {0, 0, 0};
}

// Number of leading bytes of `text` that could begin a valid code point, and whether they are one.
size_t MaximalSubpart(std::string_view text, bool& complete) {
  const LeadByte lead = ClassifyLead(static_cast<unsigned char>(text[0]));
  complete = lead.length == 1;
  if (lead.length <= 1) return 1;
  size_t taken = 1;
  while (taken < lead.length && taken < text.size()) {
    const auto byte = static_cast<unsigned char>(text[taken]);
    const unsigned char first = taken == 1 ? lead.first : 0x80;
    const unsigned char last = taken == 1 ? lead.last : 0xBF;
    if (byte < first || byte > last) break;
    ++taken;
  }
  complete = taken == lead.length;
  return taken;
}

}  // namespace

size_t Utf8Length(std::string_view text) {
  bool complete = false;
  const size_t length = MaximalSubpart(text, complete);
  return complete ? length : 0;
}

char32_t DecodeUtf8(const char* bytes, size_t length) {
  const auto byte = [bytes](size_t i) {
    return static_cast<char32_t>(static_cast<unsigned char>(bytes[i]));
  };
  switch (length) {
    case 1:
      return byte(0);
    case 2:
      return (byte(0) & 0x1F) << 6 | (byte(1) & 0x3F);
    case 3:
      return (byte(0) & 0x0F) << 12 | (byte(1) & 0x3F) << 6 | (byte(2) & 0x3F);
    default:
      return (byte(0) & 0x07) << 18 | (byte(1) & 0x3F) << 12 | (byte(2) & 0x3F) << 6 |
             (byte(3) & 0x3F);
  }
}

void AppendUtf8(char32_t code_point, std::string& out) {
  const auto trail = [&](int shift) {
    out.push_back(static_cast<char>(0x80 | ((code_point >> shift) & 0x3F)));
  };
  if (code_point < 0x80) {
    out.push_back(static_cast<char>(code_point));
  } else if (code_point < 0x800) {
    out.push_back(static_cast<char>(0xC0 | (code_point >> 6)));
    trail(0);
  } else if (code_point < 0x10000) {
    out.push_back(static_cast<char>(0xE0 | (code_point >> 12)));
    trail(6);
    trail(0);
  } else {
    out.push_back(static_cast<char>(0xF0 | (code_point >> 18)));
    trail(12);
    trail(6);
    trail(0);
  }
}

size_t ValidUtf8Prefix(std::string_view text) {
  size_t at = 0;
  while (at < text.size()) {
    // Eight ASCII bytes at a time.
    uint64_t word = 0;
    if (text.size() - at >= sizeof(word)) {
      std::memcpy(&word, text.data() + at, sizeof(word));
      if ((word & 0x8080808080808080ULL) == 0) {
        at += sizeof(word);
        continue;
      }
    }
    const size_t length = Utf8Length(text.substr(at));
    if (length == 0) break;
    at += length;
  }
  return at;
}

size_t InvalidUtf8Prefix(std::string_view text) {
  size_t at = 0;
  bool complete = false;
  while (at < text.size()) {
    const size_t length = MaximalSubpart(text.substr(at), complete);
    if (complete) break;
    at += length;
  }
  return at;
}

std::string ReplaceInvalidUtf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const size_t valid = ValidUtf8Prefix(text);
    out.append(text.substr(0, valid));
    text.remove_prefix(valid);
    if (text.empty()) break;
    bool complete = false;
    text.remove_prefix(MaximalSubpart(text, complete));
    AppendUtf8(0xFFFD, out);
  }
  return out;
}

bool IsWhitespace(char32_t code_point) {
  return (code_point >= 0x09 && code_point <= 0x0D) || code_point == 0x20 || code_point == 0x85 ||
         code_point == 0xA0 || code_point == 0x1680 ||
         (code_point >= 0x2000 && code_point <= 0x200A) || code_point == 0x2028 ||
         code_point == 0x2029 || code_point == 0x202F || code_point == 0x205F ||
         code_point == 0x3000;
}

}  // namespace hyperpp::data

#include "hyperpp/data/tokenizers/unicode_normalization.h"

#include <array>
#include <cstdlib>
#include <memory>
#include <new>

#include <utf8proc.h>

#include "hyperpp/core/error.h"
#include "hyperpp/data/tokenizers/unicode_versions.h"
#include "hyperpp/data/tokenizers/utf8.h"

namespace hyperpp::data {
namespace {

struct Range {
  char32_t first;
  char32_t last;
};

// Characters that NFC neither changes nor composes with the one before: Latin, Greek, Cyrillic and
// Armenian letters, kana, ideographs, Hangul syllables. Not all such characters, but most of text.
constexpr std::array<Range, 7> kStandAloneInNfc = {{{0x80, 0x2FF},
                                                    {0x388, 0x482},
                                                    {0x48A, 0x590},
                                                    {0x3041, 0x3096},
                                                    {0x309B, 0x30FF},
                                                    {0x3400, 0x9FFF},
                                                    {0xAC00, 0xD7A3}}};

bool StandsAlone(char32_t code_point, NormalForm form) {
  if (code_point < 0x80) return true;
  if (form != NormalForm::kNfc) return false;
  for (const Range& range : kStandAloneInNfc) {
    if (code_point < range.first) return false;
    if (code_point <= range.last) return true;
  }
  return false;
}

utf8proc_option_t OptionsOf(NormalForm form) {
  const bool composed = form == NormalForm::kNfc || form == NormalForm::kNfkc;
  const bool compatible = form == NormalForm::kNfkc || form == NormalForm::kNfkd;
  int options = UTF8PROC_STABLE | (composed ? UTF8PROC_COMPOSE : UTF8PROC_DECOMPOSE);
  if (compatible) options |= UTF8PROC_COMPAT;
  return static_cast<utf8proc_option_t>(options);
}

void AppendNormalized(std::string_view stretch, NormalForm form, std::string& out) {
  utf8proc_uint8_t* result = nullptr;
  const utf8proc_ssize_t size =
      utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(stretch.data()),
                   static_cast<utf8proc_ssize_t>(stretch.size()), &result, OptionsOf(form));
  const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> owned(result, &std::free);
  if (size == UTF8PROC_ERROR_NOMEM) throw std::bad_alloc();
  HYPERPP_CHECK_LE(0, size, "utf8proc: {}", utf8proc_errmsg(size));
  out.append(reinterpret_cast<const char*>(result), static_cast<size_t>(size));
}

struct Character {
  char32_t code_point = 0;
  size_t length = 0;
};

Character CharacterAt(std::string_view text, size_t at) {
  const size_t length = Utf8Length(text.substr(at));
  return {DecodeUtf8(text.data() + at, length), length};
}

// Length of the longest prefix whose characters all stand alone.
size_t StandAlonePrefix(std::string_view text, NormalForm form) {
  size_t at = 0;
  while (at < text.size()) {
    const Character next = CharacterAt(text, at);
    if (!StandsAlone(next.code_point, form)) break;
    at += next.length;
  }
  return at;
}

// Start of the last character of `text` that is not empty.
size_t LastCharacter(std::string_view text) {
  size_t at = text.size() - 1;
  while ((static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) --at;
  return at;
}

}  // namespace

bool IsPlainlyNormal(std::string_view text, NormalForm form) {
  return StandAlonePrefix(text, form) == text.size();
}

std::string Normalize(std::string_view text, NormalForm form) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    size_t plain = StandAlonePrefix(text, form);
    if (plain == text.size()) {
      out += text;
      break;
    }
    // The stretch begins with the last plain character: what follows may compose with it.
    if (plain > 0) plain = LastCharacter(text.substr(0, plain));
    out += text.substr(0, plain);
    text.remove_prefix(plain);

    const Character first = CharacterAt(text, 0);
    size_t end = 0;
    if (!IsUnknownToNormalization(first.code_point)) {
      end = first.length;
      while (end < text.size()) {
        const Character next = CharacterAt(text, end);
        if (StandsAlone(next.code_point, form) || IsUnknownToNormalization(next.code_point)) break;
        end += next.length;
      }
      AppendNormalized(text.substr(0, end), form, out);
    } else {
      end = first.length;
      out += text.substr(0, end);
    }
    text.remove_prefix(end);
  }
  return out;
}

}  // namespace hyperpp::data

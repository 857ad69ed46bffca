// Oniguruma's character classes as members of a PCRE2 set, and the properties that both know by the
// same name and, up to the Unicode version, with the same content; for oniguruma_pattern.h.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

namespace hyperpp::data {

inline constexpr std::string_view kWhitespace =
    R"(\t-\r \x{85}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000})";
inline constexpr std::string_view kNoWhitespace =
    R"(\x{0}-\x{8}\x{e}-\x{1f}!-\x{84}\x{86}-\x{9f}\x{a1}-\x{167f}\x{1681}-\x{1fff})"
    R"(\x{200b}-\x{2027}\x{202a}-\x{202e}\x{2030}-\x{205e}\x{2060}-\x{2fff}\x{3001}-\x{10ffff})";
// Alphabetic, marks, decimal digits, connectors. Outside sets Oniguruma adds the numbers of
// Latin-1.
inline constexpr std::string_view kWord = R"(\p{Alphabetic}\p{M}\p{Nd}\p{Pc})";
inline constexpr std::string_view kWordOutsideSets =
    R"(\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\x{b2}\x{b3}\x{b9}\x{bc}-\x{be})";

// Scripts in split patterns that are in use; PCRE2 and Oniguruma spell them alike.
inline constexpr std::array<std::string_view, 24> kScripts = {
    "Arabic",   "Armenian",  "Bengali",  "Cyrillic", "Devanagari", "Ethiopic",
    "Georgian", "Greek",     "Gujarati", "Gurmukhi", "Han",        "Hangul",
    "Hebrew",   "Hiragana",  "Kannada",  "Katakana", "Khmer",      "Lao",
    "Latin",    "Malayalam", "Sinhala",  "Tamil",    "Telugu",     "Thai"};
inline constexpr std::array<std::string_view, 37> kCategories = {
    "C",  "Cc", "Cf", "Cn", "Co", "L",  "Ll", "Lm", "Lo", "Lt", "Lu", "M",  "Mc",
    "Me", "Mn", "N",  "Nd", "Nl", "No", "P",  "Pc", "Pd", "Pe", "Pf", "Pi", "Po",
    "Ps", "S",  "Sc", "Sk", "Sm", "So", "Z",  "Zl", "Zp", "Zs", "Any"};

template <size_t N>
bool Contains(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace hyperpp::data

// UTF-8, byte by byte: where a text is valid, and what Python and Rust show for the rest.
//
// Text of the world is not always UTF-8. The byte-level tokenizers keep what is not, and the
// regular expressions must never see it (PCRE2 skips its own check), so a text is first cut into
// runs that are valid and runs that are not:
//
//     "na\xC3\xAFve \xFF\xFE ok"  ->  valid "na\xC3\xAFve ", invalid "\xFF\xFE", valid " ok"
//
// Valid means Unicode 3.9, table 3-7: no overlong forms, no surrogates, nothing above U+10FFFF.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace hyperpp::data {

/// Length in bytes of the code point at the start of `text`, or 0 if it is not valid UTF-8.
/// REQUIRES: `text` is not empty.
size_t Utf8Length(std::string_view text);

/// Code point of the `length` bytes at `bytes`. REQUIRES: they are valid (see Utf8Length).
char32_t DecodeUtf8(const char* bytes, size_t length);

/// Appends the UTF-8 form of `code_point`.
void AppendUtf8(char32_t code_point, std::string& out);

/// Length of the longest prefix of `text` that is valid UTF-8.
size_t ValidUtf8Prefix(std::string_view text);

/// Length of the longest prefix of `text` in which no valid code point starts.
size_t InvalidUtf8Prefix(std::string_view text);

/// `text` with U+FFFD for each maximal part of a broken sequence, as Python's errors="replace" and
/// Rust's from_utf8_lossy write it (Unicode 3.9, "U+FFFD Substitution of Maximal Subparts").
std::string ReplaceInvalidUtf8(std::string_view text);

/// Whether `code_point` has the Unicode property White_Space.
bool IsWhitespace(char32_t code_point);

}  // namespace hyperpp::data

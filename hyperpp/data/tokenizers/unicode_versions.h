// Bridges the Unicode versions of three libraries, so that ids equal those of the `tokenizers`
// package also for characters that one of them does not know.
//
// The package's regular expressions know Unicode 16, those of PCRE2 10.42 know Unicode 14: to PCRE2
// a letter of Unicode 15 is no letter. So a pattern is run on a copy of the text in which each
// newer character has a stand-in of the same category and the same length in UTF-8; the matches
// then hold for the text itself. Such characters are rare, so the copy is, too.
//
// The package's normalisation knows Unicode 9 or 10, that of utf8proc 2.8 knows Unicode 15: the
// package takes a later combining mark for an ordinary character that nothing composes with or
// moves across. Normalisation therefore stops at these.
//
// The tables are made by tests/data/tokenizers/reference/make_unicode_tables.py.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace hyperpp::data {

/// `text` with stand-ins for characters newer than Unicode 14, or nothing if it has none.
/// REQUIRES: `text` is valid UTF-8.
std::optional<std::string> WithStandIns(std::string_view text);

/// Whether the package's normalisation takes `code_point` for an ordinary character, though it is
/// none.
bool IsUnknownToNormalization(char32_t code_point);

/// PCRE2 pattern of one character that is punctuation to the package's pre-tokenizer Punctuation.
std::string PunctuationPattern();

}  // namespace hyperpp::data

// Split patterns are written for Oniguruma (Ruby syntax), and run on PCRE2: this rewrites what the
// two read differently, and refuses what has no counterpart.
//
//     Oniguruma            PCRE2                      why
//     \s                   the 25 White_Space points  PCRE2 adds U+180E
//     \d \w                [\p{Nd}] and alphabetic,   PCRE2's \w has no marks
//                          marks, Nd, Pc, ...
//     \p{Han}              \p{sc:Han}                 PCRE2 takes script extensions
//     (?m: )               (?s: )                     in Ruby, m lets . match a line feed
//     \v                   \x0b                       PCRE2's \v is a class
//     x{2}+, x{2}?         (?:x{2})+, (?:x{2})?       in Ruby only ?+ *+ ++ are possessive
//     x{,3}                x{0,3}
//     [a[bc]]              [abc]                      nested sets are unions
//     ^ $                  multi-line mode            always so in Ruby
//
// Refused: back references, \b, \h, \R, \X, \G, \K, POSIX brackets, && in sets, (?i) without a
// colon except at the start, and groups other than (?: (?= (?! (?<= (?<! (?> (?<name>.
// Source: Oniguruma's doc/RE; pcre2pattern(3).
#pragma once

#include <string>
#include <string_view>

namespace hyperpp::data {

/// PCRE2 form of the Oniguruma pattern `pattern`.
/// Errors: InputError naming what is not supported.
std::string TranslateOnigurumaPattern(std::string_view pattern);

/// PCRE2 form of a pattern that matches the text `literal` and nothing else.
std::string QuoteForPcre2(std::string_view literal);

}  // namespace hyperpp::data

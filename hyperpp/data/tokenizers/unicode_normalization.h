// Unicode normal forms, through utf8proc: one spelling for text that looks the same.
//
//     NFC   e + U+0301 -> U+00E9     composed      (Qwen)
//     NFD   U+00E9 -> e + U+0301     decomposed
//     NFKC, NFKD                     the same after replacing compatibility characters (U+FB01 ->
//     fi)
//
// Most text is normal already, so the work is done only where a character could change: a stretch
// from one character that stands alone in any normal form (ASCII, and for NFC most letters) to the
// next. Source: Unicode Standard Annex 15.
#pragma once

#include <string>
#include <string_view>

namespace hyperpp::data {

enum class NormalForm { kNfc, kNfd, kNfkc, kNfkd };

/// `text` in the normal form `form`, as the `tokenizers` package has it (see unicode_versions.h).
/// REQUIRES: `text` is valid UTF-8.
std::string Normalize(std::string_view text, NormalForm form);

/// Whether `text` certainly is in the normal form already. Never wrong, but says false for some.
bool IsPlainlyNormal(std::string_view text, NormalForm form);

}  // namespace hyperpp::data

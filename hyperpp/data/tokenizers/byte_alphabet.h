// The alphabet in which byte-level BPE files write bytes: every byte has a printable character.
//
// The bytes that are printable in Latin-1 (! to ~, U+00A1 to U+00AC, U+00AE to U+00FF) stand for
// themselves; the other 68, in order, become U+0100, U+0101, ... So a space (0x20) is U+0120 and a
// line feed (0x0A) is U+010A, and "U+0120 the" in a vocabulary is " the". Only files use it; in
// memory hyperpp keeps the bytes. Source: GPT-2's encoder.py, bytes_to_unicode.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace hyperpp::data {

/// Code point that stands for `byte`.
char32_t CharacterOfByte(unsigned char byte);

/// Bytes that `token` stands for, or nothing if a character of it is not in the alphabet.
std::optional<std::string> BytesOfToken(std::string_view token);

/// Token that stands for `bytes`.
std::string TokenOfBytes(std::string_view bytes);

}  // namespace hyperpp::data

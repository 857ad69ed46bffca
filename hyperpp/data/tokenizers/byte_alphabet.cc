#include "hyperpp/data/tokenizers/byte_alphabet.h"

#include <array>
#include <cstdint>

#include "hyperpp/data/tokenizers/utf8.h"

namespace hyperpp::data {
namespace {

constexpr bool StandsForItself(unsigned byte) {
  return (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte != 0xAD);
}

struct Alphabet {
  std::array<char32_t, 256> character{};
  std::array<int16_t, 0x144> byte{};  // by code point; -1: not in the alphabet

  constexpr Alphabet() {
    for (int16_t& b : byte) b = -1;
    char32_t next = 0x100;
    for (unsigned b = 0; b < 256; ++b) {
      character[b] = StandsForItself(b) ? static_cast<char32_t>(b) : next++;
      byte[character[b]] = static_cast<int16_t>(b);
    }
  }
};

constexpr Alphabet kAlphabet;

}  // namespace

char32_t CharacterOfByte(unsigned char byte) { return kAlphabet.character[byte]; }

std::optional<std::string> BytesOfToken(std::string_view token) {
  std::string bytes;
  while (!token.empty()) {
    const size_t length = Utf8Length(token);
    if (length == 0) return std::nullopt;
    const char32_t code_point = DecodeUtf8(token.data(), length);
    if (code_point >= kAlphabet.byte.size() || kAlphabet.byte[code_point] < 0) return std::nullopt;
    bytes.push_back(static_cast<char>(kAlphabet.byte[code_point]));
    token.remove_prefix(length);
  }
  return bytes;
}

std::string TokenOfBytes(std::string_view bytes) {
  std::string token;
  for (const char byte : bytes) {
    AppendUtf8(CharacterOfByte(static_cast<unsigned char>(byte)), token);
  }
  return token;
}

}  // namespace hyperpp::data

#include "hyperpp/data/token_type.h"

namespace hyperpp::data {

std::optional<TokenType> TokenTypeOfCode(uint8_t code) {
  if ((code >= 1 && code <= 5) || code == 8) return static_cast<TokenType>(code);
  return std::nullopt;
}

int64_t SizeBytes(TokenType type) {
  return WithTokenType(type, [](auto zero) -> int64_t { return sizeof(zero); });
}

std::string_view Name(TokenType type) {
  switch (type) {
    case TokenType::kUint8:
      return "uint8";
    case TokenType::kInt8:
      return "int8";
    case TokenType::kInt16:
      return "int16";
    case TokenType::kInt32:
      return "int32";
    case TokenType::kInt64:
      return "int64";
    case TokenType::kUint16:
      return "uint16";
  }
  throw InternalError("token type is none of the six");
}

TokenType TokenTypeForVocabulary(int64_t vocab_size) {
  return vocab_size < 65500 ? TokenType::kUint16 : TokenType::kInt32;
}

}  // namespace hyperpp::data

// The integer types that tokens have on disk, with the codes of Megatron's index files.
//
// Source: megatron/core/datasets/indexed_dataset.py, class DType. Its codes 6 and 7 (float64 and
// float32) are for other uses of the format and are no token types.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>

#include "hyperpp/core/error.h"

namespace hyperpp::data {

enum class TokenType : uint8_t {
  kUint8 = 1,
  kInt8 = 2,
  kInt16 = 3,
  kInt32 = 4,
  kInt64 = 5,
  kUint16 = 8
};

/// The type with this code, or nothing.
std::optional<TokenType> TokenTypeOfCode(uint8_t code);
int64_t SizeBytes(TokenType type);
std::string_view Name(TokenType type);
/// The type that Megatron writes for a vocabulary: uint16 below 65500 ids, else int32.
TokenType TokenTypeForVocabulary(int64_t vocab_size);

/// Tokens as they lie in a file or in memory; need not be aligned.
struct TokenView {
  TokenType type = TokenType::kInt32;
  std::span<const std::byte> bytes;

  int64_t size() const { return static_cast<int64_t>(bytes.size()) / SizeBytes(type); }
  TokenView Slice(int64_t first, int64_t count) const {
    const auto unit = static_cast<size_t>(SizeBytes(type));
    return {type,
            bytes.subspan(static_cast<size_t>(first) * unit, static_cast<size_t>(count) * unit)};
  }
};

/// Value `index` of an array of T that need not be aligned.
template <typename T>
T LoadAt(std::span<const std::byte> bytes, int64_t index) {
  T value;
  std::memcpy(&value, bytes.data() + static_cast<size_t>(index) * sizeof(T), sizeof(T));
  return value;
}

/// Calls `function(T{})` with the C++ type of `type`.
template <typename Function>
decltype(auto) WithTokenType(TokenType type, Function&& function) {
  switch (type) {
    case TokenType::kUint8:
      return function(uint8_t{});
    case TokenType::kInt8:
      return function(int8_t{});
    case TokenType::kInt16:
      return function(int16_t{});
    case TokenType::kInt32:
      return function(int32_t{});
    case TokenType::kInt64:
      return function(int64_t{});
    case TokenType::kUint16:
      return function(uint16_t{});
  }
  throw InternalError("token type is none of the six");
}

}  // namespace hyperpp::data

#include "hyperpp/config/scalar.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace hyperpp::config {
namespace {

template <size_t N>
bool IsOneOf(std::string_view text, const std::array<std::string_view, N>& words) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

std::string_view WithoutPlus(std::string_view text) {
  return text.starts_with('+') && !text.starts_with("+-") ? text.substr(1) : text;
}

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Digits without a leading zero, which YAML 1.1 would read as octal.
bool IsPlainInteger(std::string_view text) {
  text = WithoutPlus(text);
  if (text.starts_with('-')) text.remove_prefix(1);
  return !text.empty() && std::all_of(text.begin(), text.end(), IsDigit) &&
         (text.size() == 1 || text[0] != '0');
}

// Text that every YAML reader, 1.1 or 1.2, takes for text when it is written without quotes.
bool IsSafePlain(std::string_view text) {
  constexpr std::array<std::string_view, 8> kOldBooleans = {"yes", "no", "on", "off",
                                                            "y",   "n",  "Y",  "N"};
  if (text.empty() || IsOneOf(text, kOldBooleans) || !ScalarToJson(std::string(text)).is_string()) {
    return false;
  }
  const auto is_word = [](char c) { return IsDigit(c) || std::isalpha(c) || c == '_' || c == '/'; };
  const bool starts_well = is_word(text[0]) && (!IsDigit(text[0]) || text == "1f1b");
  return starts_well && std::all_of(text.begin(), text.end(),
                                    [&](char c) { return is_word(c) || c == '.' || c == '-'; });
}

}  // namespace

bool IsNullText(const std::string& text) {
  constexpr std::array<std::string_view, 5> kNulls = {"", "~", "null", "Null", "NULL"};
  return IsOneOf(text, kNulls);
}

std::optional<bool> ParseBoolean(const std::string& text) {
  constexpr std::array<std::string_view, 3> kTrue = {"true", "True", "TRUE"};
  constexpr std::array<std::string_view, 3> kFalse = {"false", "False", "FALSE"};
  if (IsOneOf(text, kTrue)) return true;
  if (IsOneOf(text, kFalse)) return false;
  return std::nullopt;
}

std::optional<int64_t> ParseInteger(const std::string& text) {
  if (IsPlainInteger(text)) {
    const std::string_view digits = WithoutPlus(text);
    int64_t value = 0;
    const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return result.ec == std::errc() ? std::optional(value) : std::nullopt;
  }
  // Above 2^53 a float no longer says which whole number is meant.
  constexpr double kMaxExact = 9007199254740992.0;
  const std::optional<double> number = ParseNumber(text);
  if (!number || *number != std::floor(*number) || std::abs(*number) > kMaxExact) return {};
  return static_cast<int64_t>(*number);
}

std::optional<double> ParseNumber(const std::string& text) {
  const std::string_view digits = WithoutPlus(text);
  const bool starts_well =
      !digits.empty() &&
      (IsDigit(digits[0]) || digits[0] == '.' ||
       (digits[0] == '-' && digits.size() > 1 && (IsDigit(digits[1]) || digits[1] == '.')));
  const bool leading_zero =
      digits.size() > 1 && IsDigit(digits[1]) && digits[0] == '0';  // 010: octal in YAML 1.1
  if (!starts_well || leading_zero) return std::nullopt;
  double value = 0;
  const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (result.ec != std::errc() || result.ptr != digits.data() + digits.size() ||
      !std::isfinite(value)) {
    return std::nullopt;
  }
  return value;
}

nlohmann::json ScalarToJson(const std::string& text) {
  if (IsNullText(text)) return nullptr;
  if (const auto boolean = ParseBoolean(text)) return *boolean;
  if (IsPlainInteger(text)) {
    if (const auto integer = ParseInteger(text)) return *integer;
  }
  if (const auto number = ParseNumber(text)) return *number;
  return text;
}

std::string FlowText(const nlohmann::json& value) {
  std::vector<std::string> parts;
  if (value.is_array()) {
    for (const auto& item : value) parts.push_back(FlowText(item));
    return fmt::format("[{}]", fmt::join(parts, ", "));
  }
  if (value.is_object()) {
    for (const auto& [key, item] : value.items()) {
      parts.push_back(fmt::format("{}: {}", FlowText(key), FlowText(item)));
    }
    return fmt::format("{{{}}}", fmt::join(parts, ", "));
  }
  // JSON scalars are YAML scalars.
  const bool plain = value.is_string() && IsSafePlain(value.get_ref<const std::string&>());
  if (plain) return value.get<std::string>();
  // A path need not be UTF-8; JSON must be.
  return value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace hyperpp::config

#include "hyperpp/data/tokenizers/unicode_versions.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>

#include <fmt/format.h>

#include "hyperpp/data/tokenizers/unicode_version_tables.h"
#include "hyperpp/data/tokenizers/utf8.h"

namespace hyperpp::data {
namespace {

// Range of the sorted table that holds `code_point`, or null.
template <typename Range, size_t N>
const Range* FindRange(const std::array<Range, N>& ranges, char32_t code_point) {
  const auto after =
      std::upper_bound(ranges.begin(), ranges.end(), code_point,
                       [](char32_t value, const Range& range) { return value < range.first; });
  if (after == ranges.begin()) return nullptr;
  const Range& range = *std::prev(after);
  return code_point <= range.last ? &range : nullptr;
}

// Which blocks of 256 code points hold a character newer than Unicode 14: settles most characters
// without a search.
constexpr std::array<bool, 0x1100> NewerBlocks() {
  std::array<bool, 0x1100> blocks{};
  for (const StandInRange& range : kStandIns) {
    for (char32_t block = range.first >> 8; block <= range.last >> 8; ++block) blocks[block] = true;
  }
  return blocks;
}
constexpr std::array<bool, 0x1100> kNewerBlocks = NewerBlocks();

}  // namespace

std::optional<std::string> WithStandIns(std::string_view text) {
  std::optional<std::string> copy;
  for (size_t at = 0; at < text.size();) {
    const auto lead = static_cast<unsigned char>(text[at]);
    if (lead < 0xE0) {  // below U+0800 nothing is new
      ++at;
      continue;
    }
    const size_t length = lead < 0xF0 ? 3 : 4;
    const char32_t code_point = DecodeUtf8(text.data() + at, length);
    if (kNewerBlocks[code_point >> 8]) {
      if (const StandInRange* range = FindRange(kStandIns, code_point)) {
        if (!copy) copy.emplace(text);
        std::string stand_in;
        AppendUtf8(range->stand_in, stand_in);
        copy->replace(at, length, stand_in);
      }
    }
    at += length;
  }
  return copy;
}

bool IsUnknownToNormalization(char32_t code_point) {
  return FindRange(kUnknownToNormalization, code_point) != nullptr;
}

std::string PunctuationPattern() {
  std::string unknown;
  for (const UnknownRange& range : kUnknownToPunctuation) {
    unknown += fmt::format("\\x{{{:x}}}-\\x{{{:x}}}", uint32_t{range.first}, uint32_t{range.last});
  }
  return fmt::format(R"((?![{}])[!-/:-@\[-`{{-~\p{{P}}])", unknown);
}

}  // namespace hyperpp::data

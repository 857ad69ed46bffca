#include "hyperpp/checkpoint/checksum.h"

#include <charconv>

#include <fmt/format.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace hyperpp::checkpoint {

uint64_t Checksum(const void* data, uint64_t size) { return XXH3_64bits(data, size); }

std::string ChecksumText(uint64_t checksum) { return fmt::format("{:016x}", checksum); }

std::optional<uint64_t> ParseChecksum(std::string_view text) {
  uint64_t checksum = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, checksum, 16);
  if (error != std::errc() || rest != end || text != ChecksumText(checksum)) return std::nullopt;
  return checksum;
}

}  // namespace hyperpp::checkpoint

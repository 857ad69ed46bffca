// Checksums of checkpoints: XXH3, 64 bits, seed 0. It is not cryptographic: it finds damage, not
// forgery. One core hashes about as fast as it reads memory.
// Source: Yann Collet, xxHash (BSD), doc/xxhash_spec.md; Debian's libxxhash-dev, header only.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace hyperpp::checkpoint {

/// XXH3-64 of `size` bytes.
uint64_t Checksum(const void* data, uint64_t size);

/// 16 lower-case hexadecimal digits, as in manifests and messages.
std::string ChecksumText(uint64_t checksum);

/// The inverse of ChecksumText, or nothing if `text` is not its result.
std::optional<uint64_t> ParseChecksum(std::string_view text);

}  // namespace hyperpp::checkpoint

// Damages files on purpose.
#pragma once

#include <cstdint>
#include <fstream>
#include <string>

namespace hyperpp::checkpoint {

/// Changes one bit of the byte at `offset`.
inline void FlipBit(const std::string& path, uint64_t offset) {
  std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
  file.seekg(static_cast<std::streamoff>(offset));
  const int byte = file.get();
  file.seekp(static_cast<std::streamoff>(offset));
  file.put(static_cast<char>(byte ^ 0x10));
}

}  // namespace hyperpp::checkpoint

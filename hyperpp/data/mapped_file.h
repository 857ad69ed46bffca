// A file's bytes, read-only and memory mapped: random access without a copy, shared by all ranks of
// a machine through the page cache.
//
// Resident pages of a mapping count as the process's memory. Whoever reads a file from end to end
// therefore gives the pages back with Release(); they stay in the page cache.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace hyperpp::data {

class MappedFile {
 public:
  /// Maps `path`.
  /// Errors: InputError if there is no such file or it is a folder; IoError if it cannot be read.
  explicit MappedFile(std::string path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  const std::string& path() const { return path_; }
  int64_t size_bytes() const { return static_cast<int64_t>(bytes_.size()); }
  std::span<const std::byte> bytes() const { return bytes_; }
  std::string_view text() const {
    return {reinterpret_cast<const char*>(bytes_.data()), bytes_.size()};
  }

  /// Drops the resident pages that lie wholly in [offset, offset + size); reading them again is
  /// allowed.
  void Release(int64_t offset, int64_t size) const;

 private:
  std::string path_;
  std::span<const std::byte> bytes_;
};

}  // namespace hyperpp::data

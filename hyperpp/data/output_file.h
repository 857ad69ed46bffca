// A file that appears whole or not at all: it is written under a temporary name beside its final
// one, flushed to the disk, and renamed by Commit(). Without Commit() nothing is left behind.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace hyperpp::data {

class OutputFile {
 public:
  /// Creates the temporary file, and the folder of `path` if it is missing.
  /// Errors: IoError naming `path`.
  explicit OutputFile(std::string path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// Appends `bytes`. Errors: IoError if the disk is full or failing.
  void Write(std::span<const std::byte> bytes);
  template <typename T>
  void WriteValues(std::span<const T> values) {
    Write(std::as_bytes(values));
  }

  /// Forces everything to the disk. Errors: as Write.
  void Flush();
  /// Gives the file its final name, in place of an older one. REQUIRES: Flush() was called last.
  void Commit();

 private:
  [[noreturn]] void Fail(int error) const;
  void Drain();

  std::string path_;
  std::string temporary_path_;
  std::vector<std::byte> buffer_;
  int fd_ = -1;
};

}  // namespace hyperpp::data

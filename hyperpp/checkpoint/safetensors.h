// The safetensors file format: 8 bytes header length (little endian), a JSON header, then raw
// tensors. Reading is memory-mapped, so that only the bytes that are asked for are ever touched.
// Source: huggingface/safetensors, README "Format".
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <ATen/core/Tensor.h>

namespace hyperpp::checkpoint {

/// One tensor of a file as its header describes it.
struct SafetensorsEntry {
  at::ScalarType dtype;
  std::vector<int64_t> shape;
  uint64_t begin = 0, end = 0;  // bytes, from the start of the file
};

/// A memory-mapped file, its header checked completely when opened.
class SafetensorsFile {
 public:
  /// Errors: IoError if it cannot be opened; InputError naming file, offset and reason for a file
  /// that
  ///         is truncated or malformed (header length beyond the file, bad JSON, unknown dtype,
  ///         byte range that does not match the shape, overlaps or gaps).
  explicit SafetensorsFile(std::string path);
  ~SafetensorsFile();
  SafetensorsFile(const SafetensorsFile&) = delete;
  SafetensorsFile& operator=(const SafetensorsFile&) = delete;

  const std::string& path() const { return path_; }
  const std::map<std::string, SafetensorsEntry>& entries() const { return entries_; }
  const std::map<std::string, std::string>& metadata() const { return metadata_; }

  /// The tensor `name` as a read-only view of the mapping; valid while this object lives.
  at::Tensor View(const std::string& name) const;

 private:
  void ParseHeader();

  std::string path_;
  const std::byte* data_ = nullptr;
  uint64_t size_ = 0;
  std::map<std::string, SafetensorsEntry> entries_;
  std::map<std::string, std::string> metadata_;
};

/// Name and value of a tensor to write; contiguous CPU tensors are written without a copy.
using NamedTensor = std::pair<std::string, at::Tensor>;

/// Writes `tensors` to `path` (through a temporary name, synced, then renamed) with the given
/// metadata; entries in order of the list. Returns the number of bytes. Errors: IoError naming file
/// and reason (disk full, not writable).
uint64_t WriteSafetensors(const std::string& path, const std::vector<NamedTensor>& tensors,
                          const std::map<std::string, std::string>& metadata);

}  // namespace hyperpp::checkpoint

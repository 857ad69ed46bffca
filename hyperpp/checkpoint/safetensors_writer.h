// Writes a safetensors file tensor by tensor: the header needs only names, types and shapes, so
// that no more than one tensor has to be in memory.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

#include "hyperpp/checkpoint/durable_file.h"
#include "hyperpp/checkpoint/safetensors.h"

namespace hyperpp::checkpoint {

/// What the header says of one tensor.
struct SafetensorsSpec {
  std::string name;
  at::ScalarType dtype;
  std::vector<int64_t> shape;
};

/// A file under construction; removed again unless Finish() is reached.
class SafetensorsWriter {
 public:
  /// Writes the header, padded so that data starts at a multiple of 8.
  /// REQUIRES: names are different, and none is "__metadata__".
  /// Errors: IoError.
  SafetensorsWriter(std::string path, std::vector<SafetensorsSpec> tensors,
                    const std::map<std::string, std::string>& metadata);

  /// Writes the next tensor of the list, in its dtype there and from any device.
  /// Errors: IoError naming file and reason; InternalError for another dtype or shape.
  void Append(const at::Tensor& tensor);

  /// Makes the file durable under its name; returns its size in bytes.
  /// REQUIRES: all tensors of the list were appended.
  uint64_t Finish();

  /// Places of the tensors in the file, in order of the list.
  const std::vector<SafetensorsEntry>& entries() const { return entries_; }

 private:
  std::vector<SafetensorsSpec> tensors_;
  std::vector<SafetensorsEntry> entries_;
  size_t num_appended_ = 0;
  DurableFile file_;
};

}  // namespace hyperpp::checkpoint

// The JSON header of a safetensors file, read with distrust: whatever the bytes are, the result is
// either a table of tensors that tile the data area exactly, or an InputError.
//
//     {"__metadata__": {"format": "pt"},
//      "a.weight": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}, ...}
//
// Source: huggingface/safetensors, README "Format", and safetensors/src/tensor.rs
// (Metadata::validate).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "hyperpp/checkpoint/safetensors.h"

namespace hyperpp::checkpoint {

/// Bytes before the header: its length, little endian.
inline constexpr uint64_t kSafetensorsLengthBytes = 8;
/// Longest header that is read; the limit of the reference implementation.
inline constexpr uint64_t kMaxSafetensorsHeaderBytes = 100'000'000;

/// What a header says; offsets are from the start of the file.
struct SafetensorsHeader {
  std::map<std::string, SafetensorsEntry> entries;
  std::map<std::string, std::string> metadata;
};

/// Parses and checks the header `text` of the file `path`, which has `file_bytes` bytes.
/// Errors: InputError naming file, offset and reason: bad JSON, deep nesting, a name twice, unknown
///         dtype, shape that is negative or overflows, byte range that does not match the shape,
///         overlap, gap, data that is missing or left over.
SafetensorsHeader ParseSafetensorsHeader(const std::string& path, std::string_view text,
                                         uint64_t file_bytes);

}  // namespace hyperpp::checkpoint

#include "hyperpp/checkpoint/safetensors.h"

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <sys/mman.h>
#include <sys/stat.h>

#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <fcntl.h>
#include <unistd.h>

#include "hyperpp/checkpoint/durable_file.h"
#include "hyperpp/checkpoint/safetensors_header.h"
#include "hyperpp/core/error.h"

namespace hyperpp::checkpoint {

SafetensorsFile::SafetensorsFile(std::string path) : path_(std::move(path)) {
  const int descriptor = open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) FailIo(path_, "open", errno);
  struct stat status = {};
  if (fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) {
    const int error_number = S_ISDIR(status.st_mode) ? EISDIR : errno;
    close(descriptor);
    FailIo(path_, "open", error_number);
  }
  size_ = static_cast<uint64_t>(status.st_size);
  void* mapping = nullptr;
  if (size_ > 0) mapping = mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, descriptor, 0);
  const int error_number = errno;
  close(descriptor);
  if (mapping == MAP_FAILED) FailIo(path_, "map", error_number);
  data_ = static_cast<const std::byte*>(mapping);
  try {
    ParseHeader();
  } catch (...) {
    if (data_ != nullptr) munmap(const_cast<std::byte*>(data_), size_);
    throw;
  }
}

SafetensorsFile::~SafetensorsFile() {
  if (data_ != nullptr) munmap(const_cast<std::byte*>(data_), size_);
}

void SafetensorsFile::ParseHeader() {
  const auto fail = [&](const std::string& fact) {
    throw InputError(
        fmt::format("{}, offset 0: {}; the file is truncated or no safetensors file", path_, fact));
  };
  if (size_ < kSafetensorsLengthBytes)
    fail(fmt::format("the file has {} bytes, a header length needs {}", size_,
                     kSafetensorsLengthBytes));
  uint64_t header_bytes = 0;
  for (int i = 7; i >= 0; --i) header_bytes = header_bytes << 8 | static_cast<uint64_t>(data_[i]);
  if (header_bytes > kMaxSafetensorsHeaderBytes)
    fail(fmt::format("the header length is {}, more than the limit of {}", header_bytes,
                     kMaxSafetensorsHeaderBytes));
  if (header_bytes > size_ - kSafetensorsLengthBytes)
    fail(fmt::format("the header length is {}, but only {} bytes follow", header_bytes,
                     size_ - kSafetensorsLengthBytes));
  const auto* text = reinterpret_cast<const char*>(data_ + kSafetensorsLengthBytes);
  SafetensorsHeader header = ParseSafetensorsHeader(path_, {text, header_bytes}, size_);
  entries_ = std::move(header.entries);
  metadata_ = std::move(header.metadata);
}

at::Tensor SafetensorsFile::View(const std::string& name) const {
  const auto found = entries_.find(name);
  HYPERPP_CHECK(found != entries_.end(), "{} has no tensor {}", path_, name);
  const SafetensorsEntry& entry = found->second;
  const auto options = at::TensorOptions().dtype(entry.dtype);
  if (entry.begin == entry.end) return at::empty(entry.shape, options);
  auto* bytes = const_cast<std::byte*>(data_ + entry.begin);
  // The format does not promise alignment.
  if (reinterpret_cast<uintptr_t>(bytes) % c10::elementSize(entry.dtype) == 0)
    return at::from_blob(bytes, entry.shape, options);
  at::Tensor copy = at::empty(entry.shape, options);
  std::memcpy(copy.mutable_data_ptr(), bytes, entry.end - entry.begin);
  return copy;
}

}  // namespace hyperpp::checkpoint

#include "hyperpp/data/output_file.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

#include "hyperpp/core/error.h"

namespace hyperpp::data {
namespace {
constexpr size_t kBufferBytes = size_t{1} << 20;
}

OutputFile::OutputFile(std::string path)
    : path_(std::move(path)), temporary_path_(fmt::format("{}.unfinished-{}", path_, getpid())) {
  const std::filesystem::path folder = std::filesystem::path(path_).parent_path();
  std::error_code error;
  if (!folder.empty()) std::filesystem::create_directories(folder, error);
  if (error) Fail(error.value());
  fd_ = open(temporary_path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (fd_ < 0) Fail(errno);
  buffer_.reserve(kBufferBytes);
}

OutputFile::~OutputFile() {
  if (fd_ < 0) return;
  close(fd_);
  unlink(temporary_path_.c_str());
}

void OutputFile::Fail(int error) const {
  throw IoError(fmt::format("{}: cannot be written: {}", path_, std::strerror(error)));
}

void OutputFile::Write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const size_t count = std::min(bytes.size(), kBufferBytes - buffer_.size());
    buffer_.insert(buffer_.end(), bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(count));
    bytes = bytes.subspan(count);
    if (buffer_.size() == kBufferBytes) Drain();
  }
}

void OutputFile::Drain() {
  std::span<const std::byte> left = buffer_;
  while (!left.empty()) {
    const ssize_t written = write(fd_, left.data(), left.size());
    if (written < 0 && errno != EINTR) Fail(errno);
    if (written > 0) left = left.subspan(static_cast<size_t>(written));
  }
  buffer_.clear();
}

void OutputFile::Flush() {
  Drain();
  if (fsync(fd_) != 0) Fail(errno);
}

void OutputFile::Commit() {
  HYPERPP_CHECK(fd_ >= 0 && buffer_.empty(), "{} is not flushed", path_);
  if (std::rename(temporary_path_.c_str(), path_.c_str()) != 0) Fail(errno);
  close(fd_);
  fd_ = -1;
}

}  // namespace hyperpp::data

#include "hyperpp/checkpoint/durable_file.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <sys/stat.h>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

#include "hyperpp/core/error.h"

namespace hyperpp::checkpoint {

namespace fs = std::filesystem;

void FailIo(std::string_view path, std::string_view action, int error_number) {
  throw IoError(fmt::format("{}: cannot {}: {}", path, action,
                            std::generic_category().message(error_number)));
}

DurableFile::DurableFile(std::string path) : path_(std::move(path)), temporary_(path_ + ".tmp") {
  descriptor_ = open(temporary_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (descriptor_ < 0) FailIo(path_, "create the file", errno);
}

DurableFile::~DurableFile() {
  if (descriptor_ < 0) return;
  close(descriptor_);
  unlink(temporary_.c_str());
}

void DurableFile::Write(const void* data, uint64_t size) {
  constexpr uint64_t kMaxWriteBytes = uint64_t{1} << 30;  // Linux writes at most 2 GiB at once
  const char* bytes = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t written = write(descriptor_, bytes, std::min(size, kMaxWriteBytes));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) FailIo(path_, "write", errno);
    bytes += written;
    size -= static_cast<uint64_t>(written);
    size_ += static_cast<uint64_t>(written);
  }
}

void DurableFile::Commit() {
  if (fsync(descriptor_) != 0) FailIo(path_, "write", errno);
  CommitUnsynced();
}

void DurableFile::CommitUnsynced() {
  // Network file systems report a full disk only here.
  const int closed = close(std::exchange(descriptor_, -1));
  if (closed != 0 || rename(temporary_.c_str(), path_.c_str()) != 0) {
    const int error_number = errno;
    unlink(temporary_.c_str());
    FailIo(path_, "write", error_number);
  }
}

void WriteFileDurably(const std::string& path, std::string_view text) {
  DurableFile file(path);
  file.Write(text.data(), text.size());
  file.Commit();
}

void WriteNote(const std::string& path, std::string_view text) {
  DurableFile file(path);
  file.Write(text.data(), text.size());
  file.CommitUnsynced();
}

std::string ReadWholeFile(const std::string& path) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) FailIo(path, "open", errno);
  std::string text;
  char buffer[1 << 16];
  ssize_t count = 0;
  while ((count = read(descriptor, buffer, sizeof buffer)) != 0) {
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      const int error_number = errno;
      close(descriptor);
      FailIo(path, "read", error_number);
    }
    text.append(buffer, static_cast<std::size_t>(count));
  }
  close(descriptor);
  return text;
}

void SyncFolder(const std::string& path) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) FailIo(path, "open the folder", errno);
  const int result = fsync(descriptor);
  const int error_number = errno;
  close(descriptor);
  // Some file systems know no fsync of folders; they keep names in order themselves.
  if (result != 0 && error_number != EINVAL) FailIo(path, "write the folder", error_number);
}

void MakeFolder(const std::string& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) FailIo(path, "make the folder", error.value());
}

void RemoveFolder(const std::string& path) {
  std::error_code error;
  fs::remove_all(path, error);
  if (error) FailIo(path, "remove the folder", error.value());
}

}  // namespace hyperpp::checkpoint

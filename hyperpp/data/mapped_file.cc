#include "hyperpp/data/mapped_file.h"

#include <cerrno>
#include <cstring>
#include <sys/mman.h>
#include <sys/stat.h>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

#include "hyperpp/core/error.h"
#include "hyperpp/core/round_up.h"

namespace hyperpp::data {
namespace {

[[noreturn]] void FailToRead(const std::string& path, int error) {
  if (error == ENOENT || error == ENOTDIR)
    throw InputError(
        fmt::format("{}: no such file; check the path, relative paths start at the "
                    "current directory",
                    path));
  throw IoError(fmt::format("{}: cannot be read: {}", path, std::strerror(error)));
}

class FileDescriptor {
 public:
  explicit FileDescriptor(const std::string& path) : fd_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (fd_ < 0) FailToRead(path, errno);
  }
  ~FileDescriptor() { close(fd_); }
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

}  // namespace

MappedFile::MappedFile(std::string path) : path_(std::move(path)) {
  const FileDescriptor file(path_);
  struct stat status {};
  if (fstat(file.get(), &status) != 0) FailToRead(path_, errno);
  if (S_ISDIR(status.st_mode)) throw InputError(fmt::format("{}: is a folder; name a file", path_));
  const auto size = static_cast<size_t>(status.st_size);
  if (size == 0) return;  // mmap refuses empty ranges
  void* address = mmap(nullptr, size, PROT_READ, MAP_SHARED, file.get(), 0);
  if (address == MAP_FAILED) FailToRead(path_, errno);
  bytes_ = {static_cast<const std::byte*>(address), size};
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

void MappedFile::Release(int64_t offset, int64_t size) const {
  HYPERPP_CHECK(offset >= 0 && size >= 0 && offset + size <= size_bytes(), "{}: range {} + {}",
                path_, offset, size);
  const int64_t page = sysconf(_SC_PAGESIZE);
  const int64_t begin = RoundUp(offset, page);
  const int64_t end = (offset + size) / page * page;
  if (begin >= end) return;
  // A failure only leaves the pages resident.
  madvise(const_cast<std::byte*>(bytes_.data()) + begin, static_cast<size_t>(end - begin),
          MADV_DONTNEED);
}

}  // namespace hyperpp::data

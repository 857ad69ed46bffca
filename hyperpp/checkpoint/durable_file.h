// A file that appears under its name only when it is complete, and what else is needed to survive a
// kill or a power failure at any moment.
//
//     write PATH.tmp -> fsync -> rename to PATH      DurableFile
//     -> fsync of the folder                         SyncFolder, once for all files in it
//
// Source: the rules that LevelDB's MANIFEST and CURRENT files follow (doc/impl.md), and rename(2).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace hyperpp::checkpoint {

/// A file under construction; removed again unless Commit() is reached.
class DurableFile {
 public:
  /// Errors: IoError.
  explicit DurableFile(std::string path);
  ~DurableFile();
  DurableFile(const DurableFile&) = delete;
  DurableFile& operator=(const DurableFile&) = delete;

  /// Appends `size` bytes. Errors: IoError naming file and reason (disk full).
  void Write(const void* data, uint64_t size);
  /// Makes the file's bytes durable and gives it its name. Errors: IoError.
  void Commit();
  /// Gives the file its name without waiting for the disk: for notes between processes.
  void CommitUnsynced();

  const std::string& path() const { return path_; }
  uint64_t size() const { return size_; }

 private:
  std::string path_, temporary_;
  int descriptor_ = -1;
  uint64_t size_ = 0;
};

/// Writes a whole file through a DurableFile.
void WriteFileDurably(const std::string& path, std::string_view text);
/// The same for a note between processes, without waiting for the disk.
void WriteNote(const std::string& path, std::string_view text);

/// Returns the bytes of a file. Errors: IoError.
std::string ReadWholeFile(const std::string& path);

/// Makes the names inside a folder durable. Errors: IoError.
void SyncFolder(const std::string& path);

/// Makes a folder with its parents, or leaves it as it is. Errors: IoError.
void MakeFolder(const std::string& path);

/// Removes a folder with all it holds, if it is there. Errors: IoError.
void RemoveFolder(const std::string& path);

/// Throws IoError: "<path>: cannot <action>: <reason of error_number>".
[[noreturn]] void FailIo(std::string_view path, std::string_view action, int error_number);

}  // namespace hyperpp::checkpoint

#include "hyperpp/checkpoint/publish_folder.h"

#include <cerrno>
#include <filesystem>

#include <fcntl.h>
#include <stdio.h>

#include "hyperpp/checkpoint/durable_file.h"

namespace hyperpp::checkpoint {

namespace {

namespace fs = std::filesystem;

std::string ParentOf(const std::string& path) {
  const std::string parent = fs::path(path).parent_path().string();
  return parent.empty() ? "." : parent;
}

}  // namespace

std::string ReplacedName(const std::string& path) {
  const fs::path whole(path);
  return (whole.parent_path() / (".replaced_" + whole.filename().string())).string();
}

void PublishFolder(const std::string& temporary, const std::string& path) {
  SyncFolder(temporary);
  // Succeeds where the name is free or belongs to an empty folder.
  if (rename(temporary.c_str(), path.c_str()) == 0) return SyncFolder(ParentOf(path));
  if (errno != ENOTEMPTY && errno != EEXIST) FailIo(path, "replace the folder", errno);
  if (renameat2(AT_FDCWD, temporary.c_str(), AT_FDCWD, path.c_str(), RENAME_EXCHANGE) != 0)
    return PublishFolderByTwoRenames(temporary, path);
  SyncFolder(ParentOf(path));
  RemoveFolder(temporary);
}

void PublishFolderByTwoRenames(const std::string& temporary, const std::string& path) {
  const std::string replaced = ReplacedName(path);
  RemoveFolder(replaced);
  if (rename(path.c_str(), replaced.c_str()) != 0) FailIo(path, "replace the folder", errno);
  if (rename(temporary.c_str(), path.c_str()) != 0) {
    const int error_number = errno;
    rename(replaced.c_str(), path.c_str());
    FailIo(path, "replace the folder", error_number);
  }
  SyncFolder(ParentOf(path));
  RemoveFolder(replaced);
}

}  // namespace hyperpp::checkpoint

#include "hyperpp/checkpoint/step_folders.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <map>

#include "hyperpp/checkpoint/durable_file.h"
#include "hyperpp/checkpoint/manifest.h"
#include "hyperpp/checkpoint/publish_folder.h"
#include "hyperpp/core/error.h"

namespace hyperpp::checkpoint {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kStep = "step_";
constexpr std::string_view kSaving = ".saving_step_";
constexpr std::string_view kDeleting = ".deleting_step_";
constexpr std::string_view kReplaced = ".replaced_step_";

/// N of a name "<prefix>N", written without leading zeros.
std::optional<int64_t> StepOf(std::string_view name, std::string_view prefix) {
  if (!name.starts_with(prefix)) return std::nullopt;
  const std::string_view digits = name.substr(prefix.size());
  int64_t step = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), step);
  if (error != std::errc() || end != digits.data() + digits.size() || step < 0 ||
      std::to_string(step) != digits)
    return std::nullopt;
  return step;
}

std::string Below(const std::string& directory, std::string_view prefix, int64_t step) {
  return (fs::path(directory) / fmt::format("{}{}", prefix, step)).string();
}

std::vector<std::string> NamesIn(const std::string& directory) {
  std::vector<std::string> names;
  std::error_code error;
  fs::directory_iterator entry(directory, error);
  if (error == std::errc::no_such_file_or_directory) return names;
  for (; !error && entry != fs::directory_iterator(); entry.increment(error))
    names.push_back(entry->path().filename().string());
  if (error) FailIo(directory, "list the folder", error.value());
  return names;
}

bool HasManifest(const std::string& folder) {
  std::error_code ignored;
  return fs::exists(fs::path(folder) / kManifestFile, ignored);
}

/// Path without a slash at its end, so that its last part is a name.
fs::path Normal(const std::string& path) {
  const fs::path normal = fs::absolute(path).lexically_normal();
  return normal.has_filename() ? normal : normal.parent_path();
}

}  // namespace

std::string StepFolderPath(const std::string& directory, int64_t step) {
  return Below(directory, kStep, step);
}

std::string SavingFolderPath(const std::string& directory, int64_t step) {
  return Below(directory, kSaving, step);
}

std::vector<StepFolder> FindCheckpoints(const std::string& directory) {
  std::map<int64_t, std::string> found;
  for (const std::string& name : NamesIn(directory)) {
    const std::string path = (fs::path(directory) / name).string();
    if (!HasManifest(path)) continue;
    if (const auto step = StepOf(name, kStep)) found[*step] = path;
    // A save that was killed while it replaced this step without RENAME_EXCHANGE.
    if (const auto step = StepOf(name, kReplaced)) found.try_emplace(*step, path);
  }
  std::vector<StepFolder> folders;
  for (const auto& [step, path] : found) folders.push_back({step, path});
  return folders;
}

std::optional<StepFolder> NewestCheckpoint(const std::string& directory) {
  const auto folders = FindCheckpoints(directory);
  if (folders.empty()) return std::nullopt;
  return folders.back();
}

std::optional<StepFolder> CheckpointBefore(const std::string& path) {
  const fs::path folder = Normal(path);
  const auto step = StepOf(folder.filename().string(), kStep);
  std::optional<StepFolder> before;
  if (!step) return before;
  for (const StepFolder& other : FindCheckpoints(folder.parent_path().string()))
    if (other.step < *step) before = other;
  return before;
}

std::string ResolveResume(const std::string& directory) {
  if (HasManifest(directory)) return directory;
  if (const auto newest = NewestCheckpoint(directory)) return newest->path;
  std::error_code ignored;
  if (!fs::exists(directory, ignored))
    throw InputError(
        fmt::format("{}: no such folder; give a step_N folder or its parent", directory));
  throw InputError(
      fmt::format("{}: has no {} and no complete step_N folder; give a step_N folder or its parent",
                  directory, kManifestFile));
}

void CleanLeftovers(const std::string& directory) {
  for (const std::string& name : NamesIn(directory)) {
    const std::string path = (fs::path(directory) / name).string();
    if (StepOf(name, kSaving) || StepOf(name, kDeleting)) RemoveFolder(path);
    if (const auto step = StepOf(name, kReplaced)) {
      const std::string final_path = StepFolderPath(directory, *step);
      if (HasManifest(final_path)) {
        RemoveFolder(path);
      } else {
        PublishFolder(path, final_path);
      }
    }
  }
}

void RemoveOldCheckpoints(const std::string& directory, int64_t step, int64_t keep) {
  if (keep <= 0) return;
  auto folders = FindCheckpoints(directory);
  std::erase_if(folders, [&](const StepFolder& folder) { return folder.step > step; });
  const size_t num_old = folders.size() - std::min(folders.size(), static_cast<size_t>(keep));
  for (size_t i = 0; i < num_old; ++i) {
    // Renamed first: a kill while files are removed must not leave half a step folder.
    const std::string deleting = Below(directory, kDeleting, folders[i].step);
    RemoveFolder(deleting);
    if (std::rename(folders[i].path.c_str(), deleting.c_str()) != 0)
      FailIo(folders[i].path, "remove the folder", errno);
    RemoveFolder(deleting);
  }
}

}  // namespace hyperpp::checkpoint

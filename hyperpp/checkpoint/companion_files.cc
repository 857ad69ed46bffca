#include "hyperpp/checkpoint/companion_files.h"

#include <algorithm>
#include <array>
#include <filesystem>

namespace hyperpp::checkpoint {

namespace fs = std::filesystem;

bool IsCompanionFile(std::string_view name) {
  constexpr std::array<std::string_view, 7> kNames = {
      "vocab.json",        "vocab.txt",
      "merges.txt",        "special_tokens_map.json",
      "added_tokens.json", "generation_config.json",
      "hyperpp.json"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end() ||
         (name.starts_with("tokenizer") && name.ends_with(".json")) || name.ends_with(".model") ||
         name.starts_with("chat_template");
}

std::vector<std::string> CompanionFiles(const std::string& directory) {
  std::vector<std::string> names;
  std::error_code error;
  fs::directory_iterator entry(directory, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    std::error_code ignored;
    const std::string name = entry->path().filename().string();
    if (IsCompanionFile(name) && entry->is_regular_file(ignored)) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace hyperpp::checkpoint

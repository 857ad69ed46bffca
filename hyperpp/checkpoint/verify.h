// A complete check of one checkpoint: `hyperpp checkpoint verify DIR`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace hyperpp::checkpoint {

struct VerifyReport {
  std::string folder;
  int64_t step = 0;
  int64_t num_shards = 0, num_entries = 0;
  uint64_t num_bytes = 0;  // checked
  std::vector<std::string> problems;

  bool Passed() const { return problems.empty(); }
};

/// Reads every byte of the checkpoint that `directory` means (ResolveResume): manifest, headers and
/// checksums of all shards and attached files, and that the entries are the whole model, with the
/// same optimizer state for each parameter that has any.
/// Errors: InputError if there is no checkpoint; IoError. Damage is in the report.
VerifyReport VerifyCheckpoint(const std::string& directory);

/// One line for each problem, and a summary.
std::string ToText(const VerifyReport& report);
nlohmann::json ToJson(const VerifyReport& report);

}  // namespace hyperpp::checkpoint

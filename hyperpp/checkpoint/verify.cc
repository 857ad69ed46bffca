#include "hyperpp/checkpoint/verify.h"

#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include "hyperpp/checkpoint/box.h"
#include "hyperpp/checkpoint/checksum.h"
#include "hyperpp/checkpoint/durable_file.h"
#include "hyperpp/checkpoint/reader.h"
#include "hyperpp/checkpoint/step_folders.h"
#include "hyperpp/core/error.h"

namespace hyperpp::checkpoint {

namespace {

namespace fs = std::filesystem;

/// Runs a check and notes what it finds; returns whether it passed.
bool Note(VerifyReport& report, const std::function<void()>& check) {
  try {
    check();
    return true;
  } catch (const InputError& error) {
    report.problems.emplace_back(error.what());
    return false;
  }
}

void CheckShards(CheckpointReader& reader, VerifyReport& report) {
  const auto& shards = reader.manifest().shards;
  for (size_t s = 0; s < shards.size(); ++s) {
    ++report.num_shards;
    if (!Note(report, [&] { reader.CheckShard(s); })) continue;
    for (size_t e = 0; e < shards[s].entries.size(); ++e) {
      ++report.num_entries;
      report.num_bytes += shards[s].entries[e].end - shards[s].entries[e].begin;
      Note(report, [&] { reader.CheckEntry(s, e); });
    }
  }
}

void CheckAttached(const CheckpointReader& reader, VerifyReport& report) {
  for (const AttachedFile& file : reader.manifest().attached) {
    const std::string path = (fs::path(reader.folder()) / file.file).string();
    if (!fs::exists(path)) {
      report.problems.push_back(path + ": the file is missing; the checkpoint is incomplete");
      continue;
    }
    const std::string text = ReadWholeFile(path);
    const uint64_t checksum = Checksum(text.data(), text.size());
    report.num_bytes += text.size();
    if (checksum != file.checksum)
      report.problems.push_back(
          fmt::format("{}, offset 0: checksum is {}, expected {}; the file is damaged", path,
                      ChecksumText(checksum), ChecksumText(file.checksum)));
  }
}

void CheckCompleteness(const CheckpointReader& reader, VerifyReport& report) {
  std::map<std::string, std::map<std::string, std::vector<Box>>> boxes;  // FQN, kind
  std::set<std::string> optimizer_kinds;
  for (const Shard& shard : reader.manifest().shards) {
    for (const ShardEntry& entry : shard.entries) {
      boxes[entry.fqn][entry.kind].push_back({entry.offsets, entry.shape});
      if (entry.kind != kParameter) optimizer_kinds.insert(entry.kind);
    }
  }
  const auto note = [&](const std::string& kind, const std::string& fqn, const std::string& fact) {
    report.problems.push_back(fmt::format("{}: {} of {}: {}; the checkpoint is incomplete",
                                          reader.folder(), kind, fqn, fact));
  };
  for (const ParameterOutline& parameter : reader.manifest().state.outline.parameters) {
    if (parameter.NumElements() == 0) continue;
    auto& kinds = boxes[parameter.fqn];
    if (kinds.size() > (kinds.contains(kParameter) ? 1u : 0u))
      for (const std::string& kind : optimizer_kinds) kinds.try_emplace(kind);
    kinds.try_emplace(kParameter);
    for (const auto& [kind, parts] : kinds) {
      const std::string problem = DescribeTilingError(parts, parameter.shape);
      if (!problem.empty()) note(kind, parameter.fqn, problem);
    }
    boxes.erase(parameter.fqn);
  }
  for (const auto& [fqn, kinds] : boxes) note("entry", fqn, "is not part of the model");
}

}  // namespace

VerifyReport VerifyCheckpoint(const std::string& directory) {
  VerifyReport report;
  report.folder = ResolveResume(directory);
  Note(report, [&] {
    CheckpointReader reader(report.folder);
    report.step = reader.manifest().state.step;
    CheckShards(reader, report);
    CheckAttached(reader, report);
    CheckCompleteness(reader, report);
  });
  return report;
}

std::string ToText(const VerifyReport& report) {
  std::string text;
  for (const std::string& problem : report.problems) text += problem + "\n";
  return text + fmt::format("{}: {} files, {} tensors, {} bytes checked: {}\n", report.folder,
                            report.num_shards, report.num_entries, report.num_bytes,
                            report.Passed() ? "complete and undamaged"
                                            : fmt::format("{} problems", report.problems.size()));
}

nlohmann::json ToJson(const VerifyReport& report) {
  return {{"folder", report.folder},     {"step", report.step},
          {"shards", report.num_shards}, {"tensors", report.num_entries},
          {"bytes", report.num_bytes},   {"problems", report.problems},
          {"passed", report.Passed()}};
}

}  // namespace hyperpp::checkpoint

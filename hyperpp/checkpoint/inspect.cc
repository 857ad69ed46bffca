#include "hyperpp/checkpoint/inspect.h"

#include <array>
#include <filesystem>
#include <map>

#include <fmt/ranges.h>

#include "hyperpp/checkpoint/reader.h"
#include "hyperpp/checkpoint/step_folders.h"

namespace hyperpp::checkpoint {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

json DescribeModel(const CheckpointState& state) {
  int64_t num_elements = 0;
  for (const ParameterOutline& parameter : state.outline.parameters)
    num_elements += parameter.NumElements();
  json tied = json::array();
  for (const auto& [alias, owner] : state.outline.tied) tied.push_back(alias + " = " + owner);
  return {
      {"model_type",
       state.model_config.is_object() ? state.model_config.value("model_type", json()) : json()},
      {"num_layers", state.outline.num_layers},
      {"num_tensors", state.outline.parameters.size()},
      {"num_parameters", num_elements},
      {"tied", std::move(tied)}};
}

/// Entries and bytes per kind.
json CountKinds(const Manifest& manifest) {
  json kinds = json::object();
  for (const Shard& shard : manifest.shards) {
    for (const ShardEntry& entry : shard.entries) {
      json& kind = kinds[entry.kind];
      if (kind.is_null()) kind = {{"entries", 0}, {"bytes", uint64_t{0}}};
      kind["entries"] = kind["entries"].get<int64_t>() + 1;
      kind["bytes"] = kind["bytes"].get<uint64_t>() + (entry.end - entry.begin);
    }
  }
  return kinds;
}

std::string BytesText(uint64_t bytes) {
  constexpr std::array<const char*, 5> kUnits = {"B", "KiB", "MiB", "GiB", "TiB"};
  double value = static_cast<double>(bytes);
  size_t unit = 0;
  for (; value >= 1024 && unit + 1 < kUnits.size(); ++unit) value /= 1024;
  return unit == 0 ? fmt::format("{} B", bytes) : fmt::format("{:.1f} {}", value, kUnits[unit]);
}

}  // namespace

json InspectCheckpoint(const std::string& directory) {
  const std::string folder = ResolveResume(directory);
  const CheckpointReader reader(folder);
  const Manifest& manifest = reader.manifest();
  json shards = json::array(), attached = json::array(), steps = json::array();
  for (const Shard& shard : manifest.shards)
    shards.push_back(
        {{"file", shard.file}, {"bytes", shard.bytes}, {"entries", shard.entries.size()}});
  for (const AttachedFile& file : manifest.attached) attached.push_back(file.file);
  const fs::path parent = fs::absolute(fs::path(folder) / ".").lexically_normal().parent_path();
  for (const StepFolder& other : FindCheckpoints(parent.parent_path().string()))
    steps.push_back(other.step);
  const CheckpointState& state = manifest.state;
  return {{"folder", folder},
          {"version", kFormatVersion},
          {"step", state.step},
          {"steps", std::move(steps)},
          {"world_size", state.world_size},
          {"layout", state.layout},
          {"model", DescribeModel(state)},
          {"optimizer", state.optimizer},
          {"data", state.data},
          {"random", state.random},
          {"kinds", CountKinds(manifest)},
          {"shards", std::move(shards)},
          {"attached", std::move(attached)}};
}

std::string InspectionText(const json& inspection) {
  const json& model = inspection.at("model");
  std::string text = fmt::format(
      "{}\n  step        {}\n  model       {}, {} layers, {} parameters in {} tensors\n",
      inspection.at("folder").get<std::string>(), inspection.at("step").dump(),
      model.at("model_type").is_string() ? model["model_type"].get<std::string>() : "?",
      model.at("num_layers").dump(), model.at("num_parameters").dump(),
      model.at("num_tensors").dump());
  for (const json& tie : model.at("tied"))
    text += fmt::format("  tied        {}\n", tie.get<std::string>());
  text += fmt::format("  written by  {} ranks, layout {}\n", inspection.at("world_size").dump(),
                      inspection.at("layout").dump());
  text += fmt::format("  optimizer   {}\n", inspection.at("optimizer").dump());
  text += fmt::format("  data        {}\n", inspection.at("data").dump());
  for (const auto& [kind, count] : inspection.at("kinds").items())
    text += fmt::format("  {:<22}{:>6} entries {:>12}\n", kind, count.at("entries").dump(),
                        BytesText(count.at("bytes").get<uint64_t>()));
  for (const json& shard : inspection.at("shards"))
    text += fmt::format("  {:<22}{:>6} entries {:>12}\n", shard.at("file").get<std::string>(),
                        shard.at("entries").dump(), BytesText(shard.at("bytes").get<uint64_t>()));
  for (const json& file : inspection.at("attached"))
    text += fmt::format("  {}\n", file.get<std::string>());
  if (inspection.at("steps").size() > 1)
    text += fmt::format("  steps here  {}\n", inspection.at("steps").dump());
  return text;
}

}  // namespace hyperpp::checkpoint

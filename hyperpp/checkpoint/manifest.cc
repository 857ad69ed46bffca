#include "hyperpp/checkpoint/manifest.h"

#include <utility>

#include <fmt/ranges.h>

#include "hyperpp/checkpoint/checksum.h"
#include "hyperpp/checkpoint/safetensors_dtype.h"
#include "hyperpp/core/error.h"

namespace hyperpp::checkpoint {

namespace {

using nlohmann::json;

constexpr const char* kFormatName = "hyperpp checkpoint";
// The first line, `{"manifest_checksum": "0123456789abcdef",`, covers all bytes after it.
constexpr std::string_view kFirstLineBegin = "{\"manifest_checksum\": \"";
constexpr std::string_view kFirstLineEnd = "\",\n";
constexpr size_t kChecksumDigits = 16;

at::ScalarType DtypeOf(const json& name) {
  const auto dtype = DtypeFromName(name.get<std::string>());
  if (!dtype) throw InputError(fmt::format("unknown dtype {}", name.dump()));
  return *dtype;
}

uint64_t ChecksumOf(const json& text) {
  const auto checksum = ParseChecksum(text.get<std::string>());
  if (!checksum) throw InputError(fmt::format("{} is no checksum", text.dump()));
  return *checksum;
}

json OutlineToJson(const CheckpointState& state) {
  json parameters = json::array();
  for (const ParameterOutline& parameter : state.outline.parameters) {
    json item = {{"name", parameter.fqn}, {"shape", parameter.shape}, {"layer", parameter.layer}};
    const auto dtype = state.export_dtypes.find(parameter.fqn);
    if (dtype != state.export_dtypes.end()) item["dtype"] = DtypeName(dtype->second);
    parameters.push_back(std::move(item));
  }
  return {{"config", state.model_config},
          {"num_layers", state.outline.num_layers},
          {"parameters", std::move(parameters)},
          {"tied", state.outline.tied}};
}

void OutlineFromJson(const json& model, CheckpointState& state) {
  state.model_config = model.at("config");
  state.outline.num_layers = model.at("num_layers").get<int64_t>();
  state.outline.tied = model.at("tied").get<std::vector<std::pair<std::string, std::string>>>();
  for (const json& item : model.at("parameters")) {
    ParameterOutline parameter;
    parameter.fqn = item.at("name").get<std::string>();
    parameter.shape = item.at("shape").get<std::vector<int64_t>>();
    parameter.layer = item.at("layer").get<int64_t>();
    if (item.contains("dtype")) state.export_dtypes[parameter.fqn] = DtypeOf(item["dtype"]);
    state.outline.parameters.push_back(std::move(parameter));
  }
}

CheckpointState StateFromJson(const json& body) {
  CheckpointState state;
  state.step = body.at("step").get<int64_t>();
  state.world_size = body.at("world_size").get<int>();
  state.layout = body.at("layout");
  state.config = body.at("config");
  state.data = body.at("data");
  state.random = body.at("random");
  state.optimizer = body.at("optimizer");
  state.extra = body.at("extra");
  OutlineFromJson(body.at("model"), state);
  return state;
}

/// Long lists get a line for each item, everything else a line for each member.
std::string FormatMembers(const json& body) {
  std::string text;
  for (const auto& [key, value] : body.items()) {
    if (!text.empty()) text += ",\n";
    text += json(key).dump() + ": ";
    if (key != "shards") {
      text += value.dump();
      continue;
    }
    text += "[";
    for (size_t i = 0; i < value.size(); ++i) {
      const json& shard = value[i];
      text += fmt::format("{}\n {{\"file\": {}, \"bytes\": {}, \"entries\": [", i > 0 ? "," : "",
                          shard["file"].dump(), shard["bytes"].dump());
      for (size_t k = 0; k < shard["entries"].size(); ++k)
        text += (k > 0 ? ",\n  " : "\n  ") + shard["entries"][k].dump();
      text += "]}";
    }
    text += "]";
  }
  return text + "}\n";
}

Manifest ManifestFromJson(const json& body) {
  Manifest manifest;
  manifest.state = StateFromJson(body);
  for (const json& shard : body.at("shards")) manifest.shards.push_back(ShardFromJson(shard));
  for (const json& item : body.at("attached"))
    manifest.attached.push_back({item.at("file").get<std::string>(),
                                 item.at("bytes").get<uint64_t>(),
                                 ChecksumOf(item.at("checksum"))});
  return manifest;
}

/// Checks the first line against the rest.
void CheckOwnChecksum(const std::string& path, std::string_view text) {
  const size_t first_line = kFirstLineBegin.size() + kChecksumDigits + kFirstLineEnd.size();
  const auto expected = text.size() < first_line
                            ? std::nullopt
                            : ParseChecksum(text.substr(kFirstLineBegin.size(), kChecksumDigits));
  if (!expected || !text.starts_with(kFirstLineBegin) ||
      text.substr(first_line - kFirstLineEnd.size(), kFirstLineEnd.size()) != kFirstLineEnd)
    throw InputError(
        fmt::format("{}, offset 0: does not begin with a manifest checksum; the file "
                    "is damaged or no manifest",
                    path));
  const std::string_view rest = text.substr(first_line);
  const uint64_t checksum = Checksum(rest.data(), rest.size());
  if (checksum != *expected)
    throw InputError(fmt::format("{}, offset {}: checksum is {}, expected {}; the file is damaged",
                                 path, first_line, ChecksumText(checksum),
                                 ChecksumText(*expected)));
}

}  // namespace

std::string EntryName(const ShardEntry& entry) {
  std::string name = entry.fqn;
  if (entry.kind != kParameter) name += "@" + entry.kind;
  if (entry.shape != entry.global_shape) name += fmt::format("[{}]", fmt::join(entry.offsets, ","));
  return name;
}

json ShardToJson(const Shard& shard) {
  json entries = json::array();
  for (const ShardEntry& entry : shard.entries)
    entries.push_back({{"name", entry.fqn},
                       {"kind", entry.kind},
                       {"dtype", DtypeName(entry.dtype)},
                       {"global_shape", entry.global_shape},
                       {"offsets", entry.offsets},
                       {"shape", entry.shape},
                       {"range", {entry.begin, entry.end}},
                       {"checksum", ChecksumText(entry.checksum)}});
  return {{"file", shard.file}, {"bytes", shard.bytes}, {"entries", std::move(entries)}};
}

Shard ShardFromJson(const json& json) {
  Shard shard;
  shard.file = json.at("file").get<std::string>();
  shard.bytes = json.at("bytes").get<uint64_t>();
  for (const auto& item : json.at("entries")) {
    ShardEntry entry;
    entry.fqn = item.at("name").get<std::string>();
    entry.kind = item.at("kind").get<std::string>();
    entry.dtype = DtypeOf(item.at("dtype"));
    entry.global_shape = item.at("global_shape").get<std::vector<int64_t>>();
    entry.offsets = item.at("offsets").get<std::vector<int64_t>>();
    entry.shape = item.at("shape").get<std::vector<int64_t>>();
    entry.begin = item.at("range").at(0).get<uint64_t>();
    entry.end = item.at("range").at(1).get<uint64_t>();
    entry.checksum = ChecksumOf(item.at("checksum"));
    shard.entries.push_back(std::move(entry));
  }
  return shard;
}

json StateToJson(const CheckpointState& state) {
  return {{"step", state.step},           {"world_size", state.world_size},
          {"layout", state.layout},       {"config", state.config},
          {"data", state.data},           {"random", state.random},
          {"extra", state.extra},         {"optimizer", state.optimizer},
          {"model", OutlineToJson(state)}};
}

std::string FormatManifest(const Manifest& manifest) {
  json body = StateToJson(manifest.state);
  body["format"] = kFormatName;
  body["version"] = kFormatVersion;
  body["shards"] = json::array();
  for (const Shard& shard : manifest.shards) body["shards"].push_back(ShardToJson(shard));
  body["attached"] = json::array();
  for (const AttachedFile& file : manifest.attached)
    body["attached"].push_back(
        {{"file", file.file}, {"bytes", file.bytes}, {"checksum", ChecksumText(file.checksum)}});
  const std::string rest = FormatMembers(body);
  return std::string(kFirstLineBegin) + ChecksumText(Checksum(rest.data(), rest.size())) +
         std::string(kFirstLineEnd) + rest;
}

Manifest ParseManifest(const std::string& path, std::string_view text) {
  CheckOwnChecksum(path, text);
  try {
    const json body = json::parse(text);
    if (body.at("format") != kFormatName)
      throw InputError(
          fmt::format("format is {}, expected \"{}\"", body.at("format").dump(), kFormatName));
    if (body.at("version") != kFormatVersion)
      throw InputError(fmt::format("format version is {}, this program reads {}",
                                   body.at("version").dump(), kFormatVersion));
    return ManifestFromJson(body);
  } catch (const json::exception& error) {
    throw InputError(
        fmt::format("{}: {}; the manifest was not written by this program", path, error.what()));
  } catch (const InputError& error) {
    throw InputError(
        fmt::format("{}: {}; the manifest was not written by this program", path, error.what()));
  }
}

}  // namespace hyperpp::checkpoint

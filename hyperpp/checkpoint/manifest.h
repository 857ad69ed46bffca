// The manifest of a checkpoint: what was saved, of which run, and in which part of which file.
//
// It is written last and holds a checksum of itself and of every entry, so that a folder with a
// valid manifest is a complete checkpoint. docs/checkpoint_format.md describes it byte by byte.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <c10/core/ScalarType.h>
#include <nlohmann/json.hpp>

#include "hyperpp/core/outline.h"

namespace hyperpp::checkpoint {

inline constexpr int64_t kFormatVersion = 1;
inline constexpr const char* kManifestFile = "manifest.json";
inline constexpr const char* kModelFolder = "model";  // attached files of the model

/// Kinds of entries: the fp32 master parameter, and what optimizers keep for it.
inline constexpr const char* kParameter = "parameter";
inline constexpr const char* kExpAvg = "exp_avg";
inline constexpr const char* kExpAvgSq = "exp_avg_sq";
inline constexpr const char* kMomentumBuffer = "momentum_buffer";

/// What the trainer knows of a run at the end of a step, beside tensors. The JSON members mean what
/// the trainer puts there; this package only reads `optimizer["type"]`.
struct CheckpointState {
  int64_t step = 0;
  int world_size = 1;
  nlohmann::json layout;        // degrees of the mesh axes
  nlohmann::json config;        // as resolved; null in an imported checkpoint
  nlohmann::json data;          // where the data stands
  nlohmann::json random;        // seed and generator states
  nlohmann::json optimizer;     // "type" and hyperparameters; null in an imported checkpoint
  nlohmann::json model_config;  // config.json, overrides applied
  ModelOutline outline;         // names and global shapes of the full model, ties
  std::map<std::string, at::ScalarType> export_dtypes;  // per parameter, for exports
  nlohmann::json extra;                                 // anything else a trainer wants back
};

/// One box of one tensor in a shard.
struct ShardEntry {
  std::string fqn;   // of the full model
  std::string kind;  // kParameter, kExpAvg, ...
  at::ScalarType dtype;
  std::vector<int64_t> global_shape, offsets, shape;
  uint64_t begin = 0, end = 0;  // bytes, from the start of the file
  uint64_t checksum = 0;        // of these bytes
};

/// The file one rank wrote.
struct Shard {
  std::string file;  // name in the step folder
  uint64_t bytes = 0;
  std::vector<ShardEntry> entries;
};

/// A further file of the step folder: tokenizer and generation files for exports.
struct AttachedFile {
  std::string file;  // path in the step folder
  uint64_t bytes = 0;
  uint64_t checksum = 0;
};

struct Manifest {
  CheckpointState state;
  std::vector<Shard> shards;
  std::vector<AttachedFile> attached;
};

/// Name of an entry inside its shard: "FQN" for a whole parameter, "FQN@exp_avg" for another kind,
/// with "[3,0]" (the offsets) at the end where the entry is not the whole tensor.
std::string EntryName(const ShardEntry& entry);

/// The text of manifest.json.
std::string FormatManifest(const Manifest& manifest);

/// The inverse of FormatManifest; `path` stands for the file in messages.
/// Errors: InputError for a damaged manifest or one of a later format version.
Manifest ParseManifest(const std::string& path, std::string_view text);

/// JSON of one shard, as in manifests.
nlohmann::json ShardToJson(const Shard& shard);
/// Errors: nlohmann::json::exception or InputError.
Shard ShardFromJson(const nlohmann::json& json);

/// JSON of a state, as in manifests.
nlohmann::json StateToJson(const CheckpointState& state);

}  // namespace hyperpp::checkpoint

// A summary of a checkpoint or of a folder of them: `hyperpp checkpoint inspect DIR`. Reads the
// manifest only.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace hyperpp::checkpoint {

/// Describes the checkpoint that `directory` means (ResolveResume) as one JSON object: folder,
/// step, all steps beside it, world_size, layout, model (type, parameters, tied), optimizer, data,
/// random, kinds (entries and bytes of each), shards (file, bytes), attached files. Errors:
/// InputError if there is none or its manifest is damaged; IoError.
nlohmann::json InspectCheckpoint(const std::string& directory);

/// The same for people, in a few lines.
std::string InspectionText(const nlohmann::json& inspection);

}  // namespace hyperpp::checkpoint

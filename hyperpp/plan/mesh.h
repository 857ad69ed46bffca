// The world mesh that a configuration asks for.
#pragma once

#include <optional>

#include "hyperpp/config/config.h"
#include "hyperpp/core/mesh_layout.h"
#include "hyperpp/plan/refusals.h"

namespace hyperpp::plan {

/// Number of ranks that the degrees in `config` multiply to; empty if dp_shard_size is -1, which
/// takes what is left of any world.
std::optional<int64_t> WorldSizeOf(const config::Config& config);

/// The mesh of a world of `world_size` ranks; notes why there is none.
std::optional<MeshLayout> MakeMesh(const config::Config& config, int world_size,
                                   Refusals& refusals);

}  // namespace hyperpp::plan

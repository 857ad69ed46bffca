// A plan for people and as JSON: what `hyperpp plan` prints.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "hyperpp/plan/train_plan.h"

namespace hyperpp::plan {

/// Text with the mesh, the batch arithmetic, the model, the stage table, the schedule and the
/// memory per rank.
std::string DescribePlan(const TrainPlan& plan);

/// The same as one JSON object:
///     world_size, mesh {pp, dp_replicate, dp_shard, cp, tp, ep}, batch {...}, model {...},
///     pipeline {...} (describe_schedule.h) or null, stages [{stage, rank, chunk, ...}],
///     ranks [{pipeline_rank, global_ranks, stages, memory {...}}], unsupported [...]
nlohmann::json PlanJson(const TrainPlan& plan);

}  // namespace hyperpp::plan

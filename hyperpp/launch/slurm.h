// Who this process is in a Slurm job step (srun), from the variables of the step.
#pragma once

#include <optional>
#include <string>

#include "hyperpp/comm/rank_identity.h"
#include "hyperpp/launch/environment.h"

namespace hyperpp::launch {

/// Returns the place of this task in its step, or nothing outside of a step of several tasks.
/// The master is MASTER_ADDR:MASTER_PORT if set; else the first host of the step, and a port
/// between 10000 and 29999 that follows from the numbers of job and step. Errors: ConfigError
/// naming a missing, malformed or contradicting variable.
std::optional<comm::RankIdentity> IdentityFromSlurm(const Environment& environment);

/// Returns the first host of a Slurm node list: "gpu[03-05,9],login" -> "gpu03".
std::string FirstHost(const std::string& node_list);

/// Returns the tasks on node `node` of a Slurm count list: "4(x2),3" -> 4, 4, 3.
std::optional<int> TasksOnNode(const std::string& tasks_per_node, int node);

}  // namespace hyperpp::launch

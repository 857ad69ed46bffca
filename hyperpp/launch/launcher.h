// Starts one process per local rank, and stands by them: forwards signals, and ends all when one
// fails.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "hyperpp/comm/world.h"

namespace hyperpp::launch {

/// Reads who this process is from the environment: RANK, WORLD_SIZE, MASTER_ADDR, MASTER_PORT,
/// LOCAL_RANK, LOCAL_WORLD_SIZE (own launcher, torchrun), else Slurm's step variables when the
/// process is a task of a step of several tasks. Empty if none are set: the process is no rank yet.
/// Errors: ConfigError naming a missing, malformed or contradicting variable.
std::optional<comm::RankIdentity> IdentityFromEnvironment();

/// Executes `arguments` (this program again, by /proc/self/exe) `num_ranks` times with the rank
/// variables set, and waits for all. SIGTERM and SIGINT are passed on. When a rank ends with a
/// failure the others get a few seconds to report, then are killed; a kill of this process kills
/// the ranks. Says once which rank ended first and how, unless that rank said its cause itself.
/// Returns the exit status of the job: the first failing rank's, kMachine if it was killed by a
/// signal.
int LaunchLocalRanks(const std::vector<std::string>& arguments, int num_ranks);

}  // namespace hyperpp::launch

// Who this process is, from the environment. The only place that reads it; DESIGN and
// docs/launching.md give the precedence:
//
//   1. RANK is set (hyperpp's own launcher, torchrun, wrappers around mpirun): RANK, WORLD_SIZE,
//      MASTER_ADDR, MASTER_PORT must all be there; LOCAL_RANK and LOCAL_WORLD_SIZE should.
//   2. Else, inside a Slurm step of several tasks: the step's variables. The counts of the job
//      (SLURM_NTASKS, ...) are never used: they are also set in the batch script and in the shell
//      of an salloc, which are one process.
//   3. Else this process is no rank yet.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "hyperpp/comm/rank_identity.h"

namespace hyperpp::launch {

/// Value of a variable; empty if it is not set or has no text.
using Environment = std::function<std::optional<std::string>(const char* name)>;

/// Reads who this process is; empty if it is no rank yet.
/// Errors: ConfigError naming a missing, malformed or contradicting variable.
std::optional<comm::RankIdentity> IdentityFromEnvironment();

/// The same, from `environment` instead of the process's own.
std::optional<comm::RankIdentity> IdentityFrom(const Environment& environment);

}  // namespace hyperpp::launch

// How the commands that need ranks get them: start them, be one of them, or be the only one.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "hyperpp/comm/world.h"
#include "hyperpp/core/log.h"
#include "hyperpp/trainer/run_inputs.h"

namespace hyperpp::cli {

/// A command over a run's configuration.
struct RankCommand {
  std::string name;  // train, evaluate
  std::string config_path;
  std::vector<std::string> overrides;  // --set
  int num_ranks = 0;                   // --ranks; 0: from the configuration
  std::vector<std::string> flags;      // further arguments, passed on to started ranks
};

/// What a rank does once it has joined the others.
using RankBody = std::function<void(const trainer::RunInputs&, comm::World&, const Log&)>;

/// Checks the run's inputs, then: with rank variables in the environment, joins that job and runs
/// `body`; else, for one rank, runs it here; else starts the ranks on this machine and waits for
/// them. Returns the exit status. Errors: those of PrepareRun, before anything is started.
int RunRanks(const RankCommand& command, const RankBody& body);

}  // namespace hyperpp::cli

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
  /// The command finishes its step when SIGTERM or SIGINT comes; else these end the process.
  bool stops_on_signal = false;
};

/// What a rank does once it has joined the others.
/// `stop_requested` says whether a signal asked to stop (false for ever without stops_on_signal).
struct RankContext {
  const trainer::RunInputs& inputs;
  comm::World& world;
  const Log& log;
  std::function<bool()> stop_requested;
};
using RankBody = std::function<void(const RankContext&)>;

/// Checks the run's inputs, then: with rank variables in the environment, joins that job and runs
/// `body`; else, for one rank, runs it here; else starts the ranks on this machine and waits for
/// them. Returns the exit status. Errors: those of PrepareRun, before anything is started.
int RunRanks(const RankCommand& command, const RankBody& body);

}  // namespace hyperpp::cli

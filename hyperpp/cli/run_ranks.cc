#include "hyperpp/cli/run_ranks.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <optional>

#include "hyperpp/core/error.h"
#include "hyperpp/launch/launcher.h"
#include "hyperpp/launch/signals.h"
#include "hyperpp/trainer/device.h"

namespace hyperpp::cli {
namespace {

comm::WorldOptions OptionsOf(const config::AcceleratorSection& accelerator, bool on_gpu) {
  comm::WorldOptions options;
  options.use_nccl = accelerator.backend == config::Backend::kNccl ||
                     (accelerator.backend == config::Backend::kAuto && on_gpu);
  options.timeout =
      std::chrono::milliseconds(static_cast<int64_t>(accelerator.timeout_seconds * 1e3));
  // Starting up has a limit of its own: loading libtorch on a busy host may take longer than a
  // short communication timeout allows.
  options.rendezvous_timeout = std::max(options.timeout, std::chrono::milliseconds(60000));
  return options;
}

std::vector<std::string> RankArguments(const RankCommand& command) {
  std::vector<std::string> arguments = {"hyperpp", command.name, command.config_path};
  for (const std::string& override : command.overrides) {
    arguments.push_back("--set");
    arguments.push_back(override);
  }
  arguments.insert(arguments.end(), command.flags.begin(), command.flags.end());
  return arguments;
}

// The launcher starts ranks with both signals blocked, so that none is lost before somebody takes
// it.
void TakeSignalsByDefault() {
  sigset_t taken;
  sigemptyset(&taken);
  sigaddset(&taken, SIGTERM);
  sigaddset(&taken, SIGINT);
  pthread_sigmask(SIG_UNBLOCK, &taken, nullptr);
}

void RunAsRank(const RankCommand& command, const comm::RankIdentity& identity,
               const trainer::RunInputs& inputs, const RankBody& body) {
  std::optional<launch::StopRequest> stop;
  if (command.stops_on_signal)
    stop.emplace();
  else
    TakeSignalsByDefault();
  const bool on_gpu =
      inputs.config.accelerator.device != config::DeviceType::kCpu && trainer::NumVisibleGpus() > 0;
  const auto world =
      comm::World::Join(identity, inputs.plan.mesh, OptionsOf(inputs.config.accelerator, on_gpu));
  const Log log(identity.rank, identity.world_size);
  body({inputs, *world, log, [&stop] { return stop && stop->Requested(); }});
}

}  // namespace

int RunRanks(const RankCommand& command, const RankBody& body) {
  const std::optional<comm::RankIdentity> identity = launch::IdentityFromEnvironment();
  if (identity) {
    RunAsRank(command, *identity,
              trainer::PrepareRun(command.config_path, command.overrides, identity->world_size),
              body);
    return 0;
  }
  const trainer::RunInputs inputs =
      trainer::PrepareRun(command.config_path, command.overrides, command.num_ranks);
  const int world_size = inputs.plan.mesh.WorldSize();
  if (world_size > 1) return launch::LaunchLocalRanks(RankArguments(command), world_size);
  RunAsRank(command, comm::RankIdentity{}, inputs, body);
  return 0;
}

}  // namespace hyperpp::cli

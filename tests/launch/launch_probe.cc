// A program for launcher_test.cc: starts itself as ranks, which behave and misbehave as told.
//
//     launch_probe launch NUM_RANKS MODE [RANK]     as hyperpp does without rank variables
//     launch_probe rank MODE [RANK]                 one rank; RANK is the one that misbehaves
//
// Modes beside those of kModes: early (fails before it joins), lonely (waits a second for the
// others).
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <map>
#include <stdexcept>
#include <thread>

#include <ATen/ATen.h>
#include <unistd.h>

#include "hyperpp/comm/world.h"
#include "hyperpp/core/error.h"
#include "hyperpp/launch/failure_report.h"
#include "hyperpp/launch/launcher.h"
#include "hyperpp/launch/signals.h"

namespace hyperpp::launch {
namespace {

struct Rank {
  comm::World& world;
  const StopRequest& stop;
  bool misbehaves;

  void ReduceForEver() const {
    for (;;) world.Control().AllReduce(at::ones({1}))->Wait();
  }
};

void SleepForEver() {
  for (;;) pause();
}

void Stop(const Rank& rank) {
  std::cout << "ready\n" << std::flush;
  while (!rank.stop.Requested()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  std::cout << "saved\n" << std::flush;
}

const std::map<std::string, std::function<void(const Rank&)>> kModes = {
    {"reduce",
     [](const Rank& rank) {
       const at::Tensor sum = at::ones({1}, at::kLong);
       rank.world.Control().AllReduce(sum)->Wait();
       std::cout << "sum " + std::to_string(sum.item<int64_t>()) + "\n";
     }},
    {"exit",
     [](const Rank& rank) {
       if (rank.misbehaves) _exit(7);
       SleepForEver();
     }},
    {"kill",
     [](const Rank& rank) {
       if (rank.misbehaves) raise(SIGKILL);
       rank.ReduceForEver();
     }},
    {"freeze",
     [](const Rank& rank) {
       if (rank.misbehaves) raise(SIGSTOP);
       rank.ReduceForEver();
     }},
    {"fail",
     [](const Rank& rank) {
       if (rank.misbehaves) throw IoError("out/step_3: disk full");
       rank.ReduceForEver();
     }},
    {"agree",
     [](const Rank& rank) {
       rank.world.Agree([&] {
         if (rank.misbehaves) throw InputError("shard_3: damaged");
       });
     }},
    {"differ",
     [](const Rank& rank) {
       rank.world.CheckSame({{"schedule", rank.misbehaves ? "gpipe" : "1f1b"}});
     }},
    {"sleep", [](const Rank&) { SleepForEver(); }},
    {"stop", Stop},
};

int RunRank(const std::string& mode, int misbehaving) {
  std::optional<comm::RankIdentity> identity;
  try {
    const StopRequest stop;
    identity = IdentityFromEnvironment();
    if (!identity) throw ConfigError("no rank variables");
    const std::chrono::seconds long_time(30), short_time(1);
    const comm::WorldOptions options{
        .timeout = mode == "freeze" ? short_time : long_time,
        .rendezvous_timeout = mode == "lonely" ? short_time : long_time};
    if (mode == "early") throw ConfigError("run.yaml, line 3: training.steps is missing");
    const auto world =
        comm::World::Join(*identity, MeshLayout({identity->world_size, 1, 1, 1, 1}), options);
    std::cout << fmt::format("pid {}\n", getpid()) << std::flush;
    kModes.at(mode)({*world, stop, world->rank() == misbehaving});
    return 0;
  } catch (const std::exception& error) {
    LeaveProcess(ReportFailure(error, identity));
  }
}

int Main(const std::vector<std::string>& arguments) {
  if (arguments.at(1) == "launch") {
    std::vector<std::string> of_rank{arguments[0], "rank"};
    of_rank.insert(of_rank.end(), arguments.begin() + 3, arguments.end());
    return LaunchLocalRanks(of_rank, std::stoi(arguments.at(2)));
  }
  return RunRank(arguments.at(2), arguments.size() > 3 ? std::stoi(arguments[3]) : -1);
}

}  // namespace
}  // namespace hyperpp::launch

int main(int argc, char** argv) {
  return hyperpp::launch::Main(std::vector<std::string>(argv, argv + argc));
}

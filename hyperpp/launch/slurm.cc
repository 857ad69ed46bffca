#include "hyperpp/launch/slurm.h"

#include <cstdlib>
#include <sstream>

#include "hyperpp/core/error.h"
#include "hyperpp/launch/environment_number.h"

namespace hyperpp::launch {
namespace {

int Require(const Environment& environment, const char* name) {
  const std::optional<int> number = ReadNumber(environment, name, 0);
  if (number) return *number;
  throw ConfigError(
      fmt::format("environment variable {}: not set in a Slurm step of several tasks; start the "
                  "ranks with srun",
                  name));
}

std::string MasterAddress(const Environment& environment, bool is_one_host) {
  if (const auto given = environment("MASTER_ADDR")) return *given;
  if (is_one_host) return "127.0.0.1";
  for (const char* name : {"SLURM_STEP_NODELIST", "SLURM_NODELIST"}) {
    if (const auto nodes = environment(name)) return FirstHost(*nodes);
  }
  // The host on which srun runs; often, but not always, one of the step's.
  if (const auto launcher = environment("SLURM_LAUNCH_NODE_IPADDR")) return *launcher;
  throw ConfigError(
      "environment variable SLURM_STEP_NODELIST: not set in a Slurm step; set MASTER_ADDR to the "
      "host "
      "of rank 0");
}

int MasterPort(const Environment& environment) {
  if (const auto given = ReadNumber(environment, "MASTER_PORT", 1)) return *given;
  constexpr int kFirst = 10000, kNumPorts = 20000;  // below the ports that kernels hand out
  const int job = ReadNumber(environment, "SLURM_JOB_ID", 0).value_or(0);
  const int step = ReadNumber(environment, "SLURM_STEP_ID", 0).value_or(0);
  return kFirst + static_cast<int>((int64_t{job} * 17 + step) % kNumPorts);
}

}  // namespace

std::string FirstHost(const std::string& node_list) {
  const std::size_t bracket = node_list.find('[');
  const std::size_t comma = node_list.find(',');
  if (bracket == std::string::npos || comma < bracket) return node_list.substr(0, comma);
  const std::size_t end = node_list.find_first_of("-,]", bracket);
  const std::size_t close = node_list.find(']', bracket);
  std::string suffix;
  if (close != std::string::npos) {
    const std::size_t next = node_list.find(',', close);
    suffix = node_list.substr(close + 1, next == std::string::npos ? next : next - close - 1);
  }
  return node_list.substr(0, bracket) + node_list.substr(bracket + 1, end - bracket - 1) + suffix;
}

std::optional<int> TasksOnNode(const std::string& tasks_per_node, int node) {
  std::istringstream entries(tasks_per_node);
  std::string entry;
  while (std::getline(entries, entry, ',')) {
    const int tasks = std::atoi(entry.c_str());
    const std::size_t repeat = entry.find("(x");
    const int times = repeat == std::string::npos ? 1 : std::atoi(entry.c_str() + repeat + 2);
    if (tasks < 1 || times < 1) return std::nullopt;
    if (node < times) return tasks;
    node -= times;
  }
  return std::nullopt;
}

std::optional<comm::RankIdentity> IdentityFromSlurm(const Environment& environment) {
  if (!environment("SLURM_STEP_ID")) return std::nullopt;
  const int num_tasks = ReadNumber(environment, "SLURM_STEP_NUM_TASKS", 1).value_or(1);
  if (num_tasks == 1) return std::nullopt;

  comm::RankIdentity identity;
  identity.world_size = num_tasks;
  identity.rank = Require(environment, "SLURM_PROCID");
  identity.local_rank = Require(environment, "SLURM_LOCALID");
  const int num_nodes = ReadNumber(environment, "SLURM_STEP_NUM_NODES", 1).value_or(1);
  identity.local_world_size = num_tasks;
  if (num_nodes > 1) {
    const std::string counts = environment("SLURM_STEP_TASKS_PER_NODE").value_or("");
    const std::optional<int> tasks = TasksOnNode(counts, Require(environment, "SLURM_NODEID"));
    if (!tasks) {
      throw ConfigError(fmt::format(
          "environment variable SLURM_STEP_TASKS_PER_NODE: '{}' does not tell the tasks of node {}",
          counts, Require(environment, "SLURM_NODEID")));
    }
    identity.local_world_size = *tasks;
  }
  if (const auto world_size = ReadNumber(environment, "WORLD_SIZE", 1);
      world_size && *world_size != num_tasks) {
    throw ConfigError(
        fmt::format("environment variable WORLD_SIZE: is {}, but the Slurm step has {} tasks "
                    "(SLURM_STEP_NUM_TASKS); unset it, or set RANK as well",
                    *world_size, num_tasks));
  }
  identity.master_address = MasterAddress(environment, num_nodes == 1);
  identity.master_port = MasterPort(environment);
  return identity;
}

}  // namespace hyperpp::launch

#include "hyperpp/launch/environment.h"

#include <cstdlib>

#include <unistd.h>

#include "hyperpp/core/error.h"
#include "hyperpp/launch/environment_number.h"
#include "hyperpp/launch/own_launcher.h"
#include "hyperpp/launch/slurm.h"

namespace hyperpp::launch {
namespace {

constexpr const char* kInterfaceVariable = "GLOO_SOCKET_IFNAME";

void RequireBelow(const char* name, int number, const char* limit_name, int limit) {
  if (number < limit) return;
  throw ConfigError(fmt::format("environment variable {}: {} is out of range for {} = {}", name,
                                number, limit_name, limit));
}

/// LOCAL_RANK and LOCAL_WORLD_SIZE; without them all ranks are taken to be on this host.
void ReadLocalPlace(const Environment& environment, comm::RankIdentity& identity) {
  identity.local_world_size =
      ReadNumber(environment, "LOCAL_WORLD_SIZE", 1).value_or(identity.world_size);
  RequireBelow("LOCAL_WORLD_SIZE", identity.local_world_size - 1, "WORLD_SIZE",
               identity.world_size);
  identity.local_rank =
      ReadNumber(environment, "LOCAL_RANK", 0).value_or(identity.rank % identity.local_world_size);
  RequireBelow("LOCAL_RANK", identity.local_rank, "LOCAL_WORLD_SIZE", identity.local_world_size);
}

comm::RankIdentity IdentityFromRankVariables(const Environment& environment) {
  comm::RankIdentity identity;
  identity.rank = RequireNumber(environment, "RANK", 0);
  identity.world_size = RequireNumber(environment, "WORLD_SIZE", 1);
  RequireBelow("RANK", identity.rank, "WORLD_SIZE", identity.world_size);
  ReadLocalPlace(environment, identity);
  if (identity.world_size > 1) {
    identity.master_port = RequireNumber(environment, "MASTER_PORT", 1);
    RequireBelow("MASTER_PORT", identity.master_port, "number of ports", 65536);
    identity.master_address = RequireText(environment, "MASTER_ADDR");
  }
  identity.store_is_hosted = environment("TORCHELASTIC_USE_AGENT_STORE") == "True";
  identity.attempt = ReadNumber(environment, "TORCHELASTIC_RESTART_COUNT", 0).value_or(0);
  return identity;
}

void TakeHandles(const Environment& environment, comm::RankIdentity& identity) {
  const auto value = environment(kLauncherVariable);
  if (!value) return;
  if (const auto handles = UnpackHandles(*value, getppid())) {
    identity.report_descriptor = handles->report_descriptor;
    identity.listen_descriptor = handles->listen_descriptor;
  }
}

}  // namespace

std::optional<comm::RankIdentity> IdentityFrom(const Environment& environment) {
  std::optional<comm::RankIdentity> identity;
  if (environment("RANK")) {
    identity = IdentityFromRankVariables(environment);
    TakeHandles(environment, *identity);
  } else {
    identity = IdentityFromSlurm(environment);
    if (!identity && environment("WORLD_SIZE")) RequireText(environment, "RANK");
  }
  if (identity) identity->network_interface = environment(kInterfaceVariable).value_or("");
  return identity;
}

std::optional<comm::RankIdentity> IdentityFromEnvironment() {
  return IdentityFrom([](const char* name) -> std::optional<std::string> {
    const char* value = std::getenv(name);
    if (value == nullptr || *value == '\0') return std::nullopt;
    return value;
  });
}

}  // namespace hyperpp::launch

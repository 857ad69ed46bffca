// Who a process is in its job, as its launcher said. launch/environment.h reads it from the
// environment, so that nothing else has to.
#pragma once

#include <string>

namespace hyperpp::comm {

struct RankIdentity {
  int rank = 0, world_size = 1;
  int local_rank = 0, local_world_size = 1;
  std::string master_address = "127.0.0.1";
  int master_port = 0;

  /// The launcher hosts the store at the master address (torchrun); else rank 0 does.
  bool store_is_hosted = false;
  /// How often the job was restarted by its launcher: a hosted store outlives an attempt.
  int attempt = 0;
  /// Network interface for the traffic of several hosts; empty: the one towards the master.
  std::string network_interface;

  // Descriptors inherited from hyperpp's own launcher, or -1.
  int listen_descriptor = -1;  // socket bound to the master port, for the store of rank 0
  int report_descriptor = -1;  // pipe for the cause of this rank's failure
};

}  // namespace hyperpp::comm

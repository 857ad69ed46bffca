// The ranks of a job: how they find each other, and the groups along the axes of the world mesh.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "hyperpp/comm/group.h"
#include "hyperpp/comm/rank_identity.h"
#include "hyperpp/core/mesh_layout.h"

namespace hyperpp::comm {

struct WorldOptions {
  bool use_nccl = false;
  std::chrono::milliseconds timeout{600000};            // of communication
  std::chrono::milliseconds rendezvous_timeout{60000};  // until all ranks have joined
};

/// A job's ranks after rendezvous. Groups are made on first use (collective: every rank of the
/// world asks for the same groups in the same order) and live as long as the World.
class World {
 public:
  /// Joins the job; a world of one rank opens no socket.
  /// Errors: CommError naming the ranks that joined, the ones that are missing, or the busy port;
  ///         ConfigError for a duplicate or out-of-range rank.
  static std::unique_ptr<World> Join(const RankIdentity& identity, const MeshLayout& layout,
                                     const WorldOptions& options);
  virtual ~World() = default;

  virtual const RankIdentity& identity() const = 0;
  virtual const MeshLayout& layout() const = 0;
  int rank() const { return identity().rank; }
  int size() const { return identity().world_size; }

  /// All ranks that differ from this one only along `axes`, for tensors of the run's device.
  virtual Group& Along(const std::vector<Axis>& axes) = 0;
  /// A further communicator of the same ranks: `purpose` tells them apart ("p2p forward", ...).
  virtual Group& Along(const std::vector<Axis>& axes, const std::string& purpose) = 0;
  /// All ranks, on the host (Gloo also where the run uses NCCL): small agreements and metrics.
  virtual Group& Control() = 0;

  /// Checks that all ranks hold the same `values` (rank 0's are the reference).
  /// Errors: ConfigError on every rank, naming the keys that differ, both values and the ranks.
  virtual void CheckSame(const std::map<std::string, std::string>& values) = 0;

  /// Runs `fn` on this rank and returns when all ranks have. If it throws anywhere, every rank
  /// throws: the failing ones their own error, the others the lowest failing rank's (same kind and
  /// text). Collective: all ranks. Use where one rank alone may find a file damaged.
  virtual void Agree(const std::function<void()>& fn) = 0;

  /// Text for messages: what this rank is doing ("step 12").
  virtual void SetActivity(std::string activity) = 0;
};

}  // namespace hyperpp::comm

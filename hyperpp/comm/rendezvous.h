// How the ranks of a job find each other: at a store of c10d that rank 0, or torchrun, hosts.
//
// Each rank counts itself in under its number; the last one opens the gate, and all go on. A rank
// that must not take part (its number is taken, it expects another world size) closes the gate with
// the reason instead, which ends all ranks that wait. Who waits too long looks up who is there:
//
//     keys:  join/0, join/1, ...   times a rank with this number came
//            world_size            of the first that came
//            present               number of ranks that came
//            gate                  "open", or why the job cannot start
#pragma once

#include <chrono>

#include <c10/util/intrusive_ptr.h>

#include "hyperpp/comm/rank_identity.h"

namespace c10d {
class Store;
}

namespace hyperpp::comm {

/// Meets the other ranks of the job and returns the store they share. Collective: all ranks.
/// Errors: CommError naming a busy port, an unreachable master, or the ranks that joined and those
///         missing after `limit`; ConfigError for a number that two ranks have, or different world
///         sizes.
c10::intrusive_ptr<c10d::Store> Meet(const RankIdentity& identity, std::chrono::milliseconds limit);

}  // namespace hyperpp::comm

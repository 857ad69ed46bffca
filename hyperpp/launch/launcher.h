// Starts one process per local rank, and stands by them: forwards signals, and ends all when one
// fails.
//
//     launcher --fork, exec--> rank 0 (holds the bound socket of the store), rank 1, ...
//         ^---- report pipe ----'   one per rank: why it fails, before it ends
//
// The launcher binds a free port of the loopback interface itself and hands the socket to rank 0,
// so that jobs started together cannot take each other's port. It prints the cause of a failed job
// once: what the first failing rank reported, not what the others saw of it (outcome.h). Ranks live
// in process groups of their own, so that Ctrl-C reaches them once, through the launcher; the
// kernel kills them if the launcher is killed (PR_SET_PDEATHSIG).
#pragma once

#include <string>
#include <vector>

#include "hyperpp/launch/environment.h"

namespace hyperpp::launch {

/// Executes `arguments` (this program again, by /proc/self/exe; the first is the program's name)
/// `num_ranks` times with the rank variables set, and waits for all. The first SIGTERM or SIGINT is
/// passed on; another one, more than a second later, kills the ranks. When a rank ends with a
/// failure the others get a few seconds to report, then are killed, stopped ones too. Returns the
/// exit status of the job: the causing rank's, kMachine if a signal killed it. REQUIRES: called
/// from the main thread, before libtorch has run an operation. Errors: IoError if processes, pipes
/// or sockets cannot be had.
int LaunchLocalRanks(const std::vector<std::string>& arguments, int num_ranks);

}  // namespace hyperpp::launch

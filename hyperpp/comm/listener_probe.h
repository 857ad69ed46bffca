// Waiting for a server to listen, with a limit of its own: the client of c10d's TCPStore retries in
// steps of a second, may take twice its timeout, and fills the log while it waits.
#pragma once

#include <chrono>
#include <string>

namespace hyperpp::comm {

/// Returns once `host`:`port` accepts connections; else, at `deadline`, why it does not.
/// The result is empty on success.
std::string WaitForListener(const std::string& host, int port,
                            std::chrono::steady_clock::time_point deadline);

}  // namespace hyperpp::comm

// The wish to stop: SIGTERM and SIGINT ask a run to finish its step, save, and exit with status 0.
//
// A second signal more than a second after the first ends the process at once; within the second it
// is taken for the same wish, since a Ctrl-C often arrives twice (from the terminal, and passed on
// by a launcher).
#pragma once

#include <csignal>

namespace hyperpp::launch {

/// Takes SIGTERM and SIGINT over while it lives. Every rank makes one at the start of main:
/// hyperpp's launcher starts ranks with both signals blocked, and this unblocks them. REQUIRES: one
/// at a time, on the main thread, before other threads start.
class StopRequest {
 public:
  StopRequest();
  StopRequest(const StopRequest&) = delete;
  StopRequest& operator=(const StopRequest&) = delete;
  /// Gives the signals back to their previous handlers.
  ~StopRequest();

  /// Whether a stop was asked for. Cheap; ranks must agree on it before they act on it.
  bool Requested() const;
  /// The signal that asked for it, or 0.
  int signal() const;

 private:
  struct sigaction previous_term_ {};
  struct sigaction previous_int_ {};
};

}  // namespace hyperpp::launch

#include "hyperpp/launch/signals.h"

#include <atomic>
#include <ctime>

#include "hyperpp/core/error.h"

namespace hyperpp::launch {
namespace {

// A signal handler has no argument to carry state in: this is what it needs.
std::atomic<bool> is_installed = false;
std::atomic<int> requested_signal = 0;
std::atomic<int64_t> requested_at_ms = 0;
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<int64_t>::is_always_lock_free);

constexpr int64_t kSameStopMs = 1000;

int64_t NowMs() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1000000;
}

void HandleStop(int number) {
  if (requested_signal == 0) {
    requested_at_ms = NowMs();
    requested_signal = number;
  } else if (NowMs() - requested_at_ms > kSameStopMs) {
    signal(number, SIG_DFL);
    raise(number);
  }
}

}  // namespace

StopRequest::StopRequest() {
  HYPERPP_CHECK(!is_installed.exchange(true), "a second StopRequest");
  requested_signal = 0;
  struct sigaction action {};
  action.sa_handler = HandleStop;
  action.sa_flags = SA_RESTART;
  sigaction(SIGTERM, &action, &previous_term_);
  sigaction(SIGINT, &action, &previous_int_);
  sigset_t taken;
  sigemptyset(&taken);
  sigaddset(&taken, SIGTERM);
  sigaddset(&taken, SIGINT);
  pthread_sigmask(SIG_UNBLOCK, &taken, nullptr);
}

StopRequest::~StopRequest() {
  sigaction(SIGTERM, &previous_term_, nullptr);
  sigaction(SIGINT, &previous_int_, nullptr);
  is_installed = false;
}

bool StopRequest::Requested() const { return signal() != 0; }

int StopRequest::signal() const { return requested_signal; }

}  // namespace hyperpp::launch

#include "hyperpp/comm/listener_probe.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <sys/socket.h>
#include <thread>

#include <netdb.h>
#include <poll.h>
#include <unistd.h>

namespace hyperpp::comm {
namespace {

using Clock = std::chrono::steady_clock;
using Milliseconds = std::chrono::milliseconds;

Milliseconds Left(Clock::time_point deadline) {
  return std::max(Milliseconds(0),
                  std::chrono::duration_cast<Milliseconds>(deadline - Clock::now()));
}

/// Tries one address; returns an errno, 0 if a connection was made.
int TryConnect(const addrinfo& address, Clock::time_point deadline) {
  const int probe = socket(address.ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (probe < 0) return errno;
  int error = connect(probe, address.ai_addr, address.ai_addrlen) == 0 ? 0 : errno;
  if (error == EINPROGRESS) {
    pollfd waited{probe, POLLOUT, 0};
    error = ETIMEDOUT;
    socklen_t length = sizeof error;
    if (poll(&waited, 1, static_cast<int>(Left(deadline).count())) > 0) {
      getsockopt(probe, SOL_SOCKET, SO_ERROR, &error, &length);
    }
  }
  close(probe);
  return error;
}

std::string TryOnce(const std::string& host, int port, Clock::time_point deadline) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* first = nullptr;
  const int failure = getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &first);
  if (failure != 0) return gai_strerror(failure);
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> owner(first, &freeaddrinfo);
  std::string reason;
  for (const addrinfo* address = first; address != nullptr; address = address->ai_next) {
    const int error = TryConnect(*address, deadline);
    if (error == 0) return "";
    reason = strerror(error);
  }
  std::transform(reason.begin(), reason.end(), reason.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  return reason;
}

}  // namespace

std::string WaitForListener(const std::string& host, int port, Clock::time_point deadline) {
  Milliseconds pause(20);
  for (;;) {
    const std::string reason = TryOnce(host, port, deadline);
    if (reason.empty() || Left(deadline) == Milliseconds(0)) return reason;
    std::this_thread::sleep_for(std::min(pause, Left(deadline)));
    pause = std::min(2 * pause, Milliseconds(500));
  }
}

}  // namespace hyperpp::comm

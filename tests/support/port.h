// Ports of the loopback interface, for tests that start ranks with variables of their own.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdexcept>
#include <sys/socket.h>

#include <unistd.h>

namespace hyperpp::test {

/// A port that is taken while this lives.
struct TakenPort {
  TakenPort() : descriptor(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address;
    auto* generic = reinterpret_cast<sockaddr*>(&address);
    if (bind(descriptor, generic, length) != 0 || listen(descriptor, 1) != 0 ||
        getsockname(descriptor, generic, &length) != 0)
      throw std::runtime_error("no port of the loopback interface can be bound");
    port = ntohs(address.sin_port);
  }
  ~TakenPort() { close(descriptor); }
  TakenPort(const TakenPort&) = delete;
  TakenPort& operator=(const TakenPort&) = delete;

  int descriptor = -1;
  int port = 0;
};

/// A port that nobody listened on a moment ago.
inline int FreePort() { return TakenPort().port; }

}  // namespace hyperpp::test

#include "hyperpp/comm/local_address.h"

#include <arpa/inet.h>
#include <memory>
#include <string_view>
#include <sys/socket.h>

#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <unistd.h>

#include "hyperpp/core/error.h"

namespace hyperpp::comm {
namespace {

std::string ToText(const sockaddr* address) {
  std::string text(NI_MAXHOST, '\0');
  if (getnameinfo(address, sizeof(sockaddr_in), text.data(), static_cast<socklen_t>(text.size()),
                  nullptr, 0, NI_NUMERICHOST) != 0) {
    return "";
  }
  text.resize(text.find('\0'));
  return text;
}

/// First IPv4 address of `interface`, or of any interface but loopback if it is empty.
std::string AddressOfInterface(const std::string& interface) {
  ifaddrs* first = nullptr;
  if (getifaddrs(&first) != 0) return "";
  const std::unique_ptr<ifaddrs, decltype(&freeifaddrs)> owner(first, &freeifaddrs);
  for (const ifaddrs* entry = first; entry != nullptr; entry = entry->ifa_next) {
    if (entry->ifa_addr == nullptr || entry->ifa_addr->sa_family != AF_INET) continue;
    const bool wanted = interface.empty()
                            ? (entry->ifa_flags & IFF_UP) && !(entry->ifa_flags & IFF_LOOPBACK)
                            : interface == entry->ifa_name;
    if (wanted) return ToText(entry->ifa_addr);
  }
  return "";
}

/// Local address of a route to `host`: connecting a UDP socket chooses it and sends nothing.
std::string AddressTowards(const std::string& host) {
  addrinfo hints{};
  hints.ai_family = AF_INET;
  hints.ai_socktype = SOCK_DGRAM;
  addrinfo* found = nullptr;
  if (getaddrinfo(host.c_str(), "9", &hints, &found) != 0) return "";
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> owner(found, &freeaddrinfo);
  const int probe = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (probe < 0) return "";
  sockaddr_storage local{};
  socklen_t length = sizeof local;
  std::string address;
  if (connect(probe, found->ai_addr, found->ai_addrlen) == 0 &&
      getsockname(probe, reinterpret_cast<sockaddr*>(&local), &length) == 0) {
    address = ToText(reinterpret_cast<sockaddr*>(&local));
  }
  close(probe);
  return address;
}

}  // namespace

std::string LocalAddress(const RankIdentity& identity) {
  const bool is_one_host = identity.local_world_size == identity.world_size;
  if (!is_one_host && !identity.network_interface.empty()) {
    const std::string address = AddressOfInterface(identity.network_interface);
    if (!address.empty()) return address;
    throw ConfigError(fmt::format(
        "environment variable GLOO_SOCKET_IFNAME: interface '{}' has no IPv4 address on "
        "the host of rank {}",
        identity.network_interface, identity.rank));
  }
  std::string address = AddressTowards(identity.master_address);
  if (!address.empty() && !address.starts_with("127.")) return address;
  if (is_one_host) return "127.0.0.1";
  address = AddressOfInterface("");
  if (!address.empty()) return address;
  throw CommError(
      fmt::format("rank {}: this host has no IPv4 address by which the ranks of other hosts could "
                  "reach it; name an interface in GLOO_SOCKET_IFNAME",
                  identity.rank));
}

}  // namespace hyperpp::comm

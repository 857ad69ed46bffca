// The address under which other ranks reach this process.
#pragma once

#include <string>

#include "hyperpp/comm/rank_identity.h"

namespace hyperpp::comm {

/// Returns 127.0.0.1 if all ranks are on this host. Otherwise the IPv4 address of the identity's
/// network interface; or the local address from which the master is reached; or, where that is a
/// loopback address (many a host maps its own name to 127.0.1.1), the first other one.
/// Errors: ConfigError for an interface without address, CommError if there is no usable address.
std::string LocalAddress(const RankIdentity& identity);

}  // namespace hyperpp::comm

// The address under which other ranks reach this process.
#pragma once

#include <string>

#include "hyperpp/comm/rank_identity.h"

namespace hyperpp::comm {

/// Returns the local IPv4 address from which the master is reached. Where that is a loopback
/// address (many a host maps its own name to 127.0.1.1): 127.0.0.1 if all ranks are on this host,
/// else the first other address. On several hosts the identity's network interface goes before.
/// Errors: ConfigError for an interface without address, CommError if there is no usable address.
std::string LocalAddress(const RankIdentity& identity);

}  // namespace hyperpp::comm

// How ranks end together: an error that one rank alone can see becomes an error of all, and values
// that must be equal everywhere are compared. See World::Agree and World::CheckSame.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "hyperpp/comm/group.h"

namespace hyperpp::comm {

/// Runs `function`, and throws on every rank of `group` if it threw on any: the failing ranks their
/// own error, the others (and those that failed with the very same text) Shared of the lowest
/// failing rank's. Collective.
void AgreeOver(Group& group, const std::function<void()>& function);

/// Throws Shared<ConfigError> on every rank if `values` differ from those of the first rank, naming
/// keys, values and ranks. Collective.
void CheckSameOver(Group& group, const std::map<std::string, std::string>& values);

}  // namespace hyperpp::comm

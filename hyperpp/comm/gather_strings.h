// Exchange of short texts between the ranks of a group, for agreements outside the hot path.
#pragma once

#include <string>
#include <vector>

#include "hyperpp/comm/group.h"

namespace hyperpp::comm {

/// Returns every rank's `text`, in group order. Collective: all ranks of `group` (on the host).
/// Costs one round if all texts are empty, two otherwise. Errors: CommError.
std::vector<std::string> GatherStrings(Group& group, const std::string& text);

/// Writes `parts` as one text, and back. Parts may hold any bytes.
std::string PackStrings(const std::vector<std::string>& parts);
std::vector<std::string> UnpackStrings(const std::string& packed);

}  // namespace hyperpp::comm

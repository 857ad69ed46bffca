// The group of one rank: nothing is sent, results are the inputs.
#pragma once

#include <memory>

#include "hyperpp/comm/group.h"

namespace hyperpp::comm {

/// Makes the group that holds only world rank `rank`. Its collectives check their arguments as the
/// others do, copy `in` to `out` where the two differ, and are complete at once.
std::unique_ptr<Group> MakeSingleRankGroup(int rank);

}  // namespace hyperpp::comm

// Pass: adds what fully sharded stages do around their compute actions.
//
//     pipeline      0UNSHARD 0F0 0F1 0B0 0F2 0B1 0B2 0REDUCE_GRAD 0RESHARD
//     one rank      0UNSHARD 0F0 0B0 0REDUCE_GRAD 0F1 0B1 0REDUCE_GRAD 0RESHARD
//
// UNSHARD starts gathering what a stage needs first, RESHARD lets go of what is still gathered, and
// REDUCE_GRAD leaves the sum of the gradients so far with the shards. A pipeline reduces once per
// stage and step, behind the stage's last backward pass, because every microbatch's gradients would
// otherwise be sent while other stages wait; without one each microbatch is reduced, so that whole
// gradients need not be kept from one to the next.
#pragma once

#include "hyperpp/pipeline/schedule/schedule.h"

namespace hyperpp::pipeline {

/// Returns the schedule with UNSHARD before each stage's first compute action, RESHARD after its
/// last, and REDUCE_GRAD behind its last backward pass (one rank: behind each).
Schedule InsertSharding(const Schedule& schedule);

}  // namespace hyperpp::pipeline

// Pass: starts each receive one compute action before the one that needs it.
//
//     before    1RECV_F1  1F1   1RECV_F2  1F2         the message travels while the rank waits
//     after     1RECV_F1  1RECV_F2  1F1   1F2         the message travels while 1F1 computes
//
// For transports whose receives do not block: starting one only offers a buffer, and the wait
// happens where the data is consumed. The cost is one more buffer. The order of receives among
// themselves stays, so messages of a pair of ranks still match by order.
#pragma once

#include "hyperpp/pipeline/schedule/schedule.h"

namespace hyperpp::pipeline {

/// Returns the schedule with each receive moved to the front of the compute action before it.
/// REQUIRES: receives that do not block; the validator's proof for blocking ones no longer holds.
Schedule ReceiveEarly(Schedule schedule);

}  // namespace hyperpp::pipeline

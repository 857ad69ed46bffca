// Pass: keeps the forward half of a schedule, for evaluation.
//
//     1F1B, rank 0    0F0 0SEND_F0 0F1 0SEND_F1 0RECV_B0 0B0 ...   ->   0F0 0SEND_F0 0F1 0SEND_F1
//     ...
//
// What is left keeps its order. All messages of a legal schedule fit into one common order
// (insert_communication.h), and so does each part of them: no deadlock can arise.
#pragma once

#include "hyperpp/pipeline/schedule/schedule.h"

namespace hyperpp::pipeline {

/// Returns the schedule without backward passes, their messages, and gradient reduction.
Schedule ForwardOnly(Schedule schedule);

}  // namespace hyperpp::pipeline

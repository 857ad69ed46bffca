// Pass: adds the messages between ranks to a schedule of compute actions.
//
// Where two ranks send to each other, as neighbours in 1F1B's steady state do, a careless order
// hangs if a send waits for its receive:
//
//     rank 0   0F2  0SEND_F2  0RECV_B1       each rank stands in its send
//     rank 1   1B1  1SEND_B1  1RECV_F2
//
// So messages are put into one order for all ranks: that in which they become ready when the
// schedule is simulated with a backward pass of two forward passes. Going through that order, each
// message appends its send to one rank's list and its receive to the other's. The whole order is
// one execution in which each message finds both ranks ready; and ranks that wait only for a fixed
// partner reach the same end from every other timing too (confluence, as in Kahn process networks).
// Hence no deadlock, and the messages from one rank to another come in the same order on both
// sides. This holds for any schedule, with the wrap-around from the last rank to rank 0 between
// chunks as just another message.
//
// Source: the idea of letting the sender place the receive is that of torch.distributed.pipelining,
// schedules.py, _add_send_recv.
#pragma once

#include "hyperpp/pipeline/schedule/schedule.h"

namespace hyperpp::pipeline {

/// Returns the schedule with a send after each compute action whose result another rank consumes,
/// and the receives; the order of compute actions stays. Errors: PlanError if the schedule is not
/// valid or has messages already.
Schedule InsertCommunication(const Schedule& compute);

}  // namespace hyperpp::pipeline

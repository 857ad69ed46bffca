// What each compute action needs from another stage, and which messages that makes.
//
//     2F1 consumes the output of 1F1:            1F1  1SEND_F1 -> 2RECV_F1  2F1
//     1B1 consumes the input gradient of 2B1:    2B1  2SEND_B1 -> 1RECV_B1  1B1
//
// The first stage's forward and the last stage's backward consume nothing from others. Neighbouring
// stages on the same rank (num_ranks 1) exchange their tensors without a message.
#pragma once

#include <optional>

#include "hyperpp/pipeline/schedule/schedule.h"

namespace hyperpp::pipeline {

/// Returns the compute action of the neighbouring stage whose result the compute action consumes.
std::optional<Action> ProducerOf(const Action& compute, const ScheduleShape& shape);

/// Returns the receive that must come before the compute action, if its producer is on another
/// rank.
std::optional<Action> ReceiveFor(const Action& compute, const ScheduleShape& shape);

/// Returns the send that must follow the compute action, if its consumer is on another rank.
std::optional<Action> SendAfter(const Action& compute, const ScheduleShape& shape);

}  // namespace hyperpp::pipeline

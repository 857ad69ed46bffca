// What a pipeline rank does at one place of its schedule, and how that is written.
//
//     2F0        stage 2 runs the forward pass of microbatch 0
//     2B0        ... its backward pass: gradients of the inputs and of the parameters
//     0SEND_F1   stage 0 sends the output of microbatch 1 to stage 1
//     1RECV_F1   stage 1 receives it
//     1SEND_B3   stage 1 sends the gradient of its input of microbatch 3 to stage 0
//     0RECV_B3   stage 0 receives it
//     1UNSHARD   stage 1 gathers its sharded parameters; 1RESHARD drops them again
//     1REDUCE_GRAD   stage 1 reduces the gradients of all microbatches
//
// A send and its receive each name the stage that does it. The text form is that of
// torch.distributed.pipelining (schedules.py, _Action), so that tables can be exchanged; its split
// backward (I, W) and overlapped pairs are not used here.
#pragma once

#include <array>
#include <compare>
#include <string>
#include <string_view>

namespace hyperpp::pipeline {

/// A virtual stage, numbered through the whole model.
struct StageIndex {
  int value = 0;
  auto operator<=>(const StageIndex&) const = default;
};

/// A microbatch of a step, numbered from 0.
struct MicrobatchIndex {
  int value = 0;
  auto operator<=>(const MicrobatchIndex&) const = default;
};

enum class ActionType {
  kForward,
  kBackward,
  kReceiveForward,
  kSendForward,
  kReceiveBackward,
  kSendBackward,
  kUnshard,
  kReshard,
  kReduceGrad,
};

inline constexpr std::array kActionTypes = {
    ActionType::kForward,     ActionType::kBackward,        ActionType::kReceiveForward,
    ActionType::kSendForward, ActionType::kReceiveBackward, ActionType::kSendBackward,
    ActionType::kUnshard,     ActionType::kReshard,         ActionType::kReduceGrad,
};

/// One entry of a rank's schedule. Actions without a microbatch keep index 0.
struct Action {
  ActionType type = ActionType::kForward;
  StageIndex stage;
  MicrobatchIndex microbatch;

  auto operator<=>(const Action&) const = default;
};

/// Returns "F", "B", "RECV_F", ..., the middle of an action's text.
std::string_view ActionTypeName(ActionType type);

bool IsCompute(ActionType type);        // F, B
bool IsSend(ActionType type);           // SEND_F, SEND_B
bool IsReceive(ActionType type);        // RECV_F, RECV_B
bool IsCommunication(ActionType type);  // sends and receives

/// UNSHARD, RESHARD and REDUCE_GRAD concern a whole stage.
bool HasMicrobatch(ActionType type);

Action Forward(StageIndex stage, MicrobatchIndex microbatch);
Action Backward(StageIndex stage, MicrobatchIndex microbatch);

/// Returns the receive that takes what `send` sends, or the send that a receive waits for.
/// REQUIRES: IsCommunication(action.type).
Action PartnerOf(const Action& action);

/// Returns the text form, such as "2F0".
std::string FormatAction(const Action& action);

/// Reads the text form; spaces around it are ignored.
/// Errors: InputError that starts with `where` if the text is no action.
Action ParseAction(std::string_view text, std::string_view where);

}  // namespace hyperpp::pipeline

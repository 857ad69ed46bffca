#include "hyperpp/pipeline/schedule/action.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include <fmt/format.h>

#include "hyperpp/core/error.h"

namespace hyperpp::pipeline {
namespace {

std::string_view Trim(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

// The number that is the whole of `digits`.
std::optional<int> ParseIndex(std::string_view digits) {
  int value = 0;
  const char* end = digits.data() + digits.size();
  const auto [rest, error] = std::from_chars(digits.data(), end, value);
  if (digits.empty() || digits.front() == '-' || error != std::errc() || rest != end) return {};
  return value;
}

std::optional<ActionType> ParseType(std::string_view name) {
  const auto* found = std::find_if(kActionTypes.begin(), kActionTypes.end(),
                                   [&](ActionType type) { return ActionTypeName(type) == name; });
  if (found == kActionTypes.end()) return {};
  return *found;
}

}  // namespace

std::string_view ActionTypeName(ActionType type) {
  switch (type) {
    case ActionType::kForward:
      return "F";
    case ActionType::kBackward:
      return "B";
    case ActionType::kReceiveForward:
      return "RECV_F";
    case ActionType::kSendForward:
      return "SEND_F";
    case ActionType::kReceiveBackward:
      return "RECV_B";
    case ActionType::kSendBackward:
      return "SEND_B";
    case ActionType::kUnshard:
      return "UNSHARD";
    case ActionType::kReshard:
      return "RESHARD";
    case ActionType::kReduceGrad:
      return "REDUCE_GRAD";
  }
  HYPERPP_CHECK(false, "unknown action type {}", static_cast<int>(type));
  return "";
}

bool IsCompute(ActionType type) {
  return type == ActionType::kForward || type == ActionType::kBackward;
}

bool IsSend(ActionType type) {
  return type == ActionType::kSendForward || type == ActionType::kSendBackward;
}

bool IsReceive(ActionType type) {
  return type == ActionType::kReceiveForward || type == ActionType::kReceiveBackward;
}

bool IsCommunication(ActionType type) { return IsSend(type) || IsReceive(type); }

bool HasMicrobatch(ActionType type) { return IsCompute(type) || IsCommunication(type); }

Action Forward(StageIndex stage, MicrobatchIndex microbatch) {
  return {ActionType::kForward, stage, microbatch};
}

Action Backward(StageIndex stage, MicrobatchIndex microbatch) {
  return {ActionType::kBackward, stage, microbatch};
}

Action PartnerOf(const Action& action) {
  const StageIndex next{action.stage.value + 1}, previous{action.stage.value - 1};
  switch (action.type) {
    case ActionType::kSendForward:
      return {ActionType::kReceiveForward, next, action.microbatch};
    case ActionType::kReceiveForward:
      return {ActionType::kSendForward, previous, action.microbatch};
    case ActionType::kSendBackward:
      return {ActionType::kReceiveBackward, previous, action.microbatch};
    case ActionType::kReceiveBackward:
      return {ActionType::kSendBackward, next, action.microbatch};
    default:
      HYPERPP_CHECK(false, "action {} has no partner", FormatAction(action));
      return action;
  }
}

std::string FormatAction(const Action& action) {
  if (!HasMicrobatch(action.type)) {
    return fmt::format("{}{}", action.stage.value, ActionTypeName(action.type));
  }
  return fmt::format("{}{}{}", action.stage.value, ActionTypeName(action.type),
                     action.microbatch.value);
}

Action ParseAction(std::string_view text, std::string_view where) {
  const std::string_view trimmed = Trim(text);
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const auto* name_begin = std::find_if_not(trimmed.begin(), trimmed.end(), is_digit);
  const auto* name_end = std::find_if(name_begin, trimmed.end(), is_digit);
  const auto name_at = static_cast<size_t>(name_begin - trimmed.begin());
  const auto name_size = static_cast<size_t>(name_end - name_begin);

  const auto stage = ParseIndex(trimmed.substr(0, name_at));
  const auto type = ParseType(trimmed.substr(name_at, name_size));
  const std::string_view rest = trimmed.substr(name_at + name_size);
  const auto microbatch = ParseIndex(rest);
  if (!stage || !type || (HasMicrobatch(*type) ? !microbatch.has_value() : !rest.empty())) {
    throw InputError(
        fmt::format("{}: \"{}\" is no action; write <stage><F|B|SEND_F|RECV_F|SEND_B|RECV_B>"
                    "<microbatch> or <stage><UNSHARD|RESHARD|REDUCE_GRAD>, such as 2F0",
                    where, trimmed));
  }
  return {*type, StageIndex{*stage},
          HasMicrobatch(*type) ? MicrobatchIndex{*microbatch} : MicrobatchIndex{}};
}

}  // namespace hyperpp::pipeline

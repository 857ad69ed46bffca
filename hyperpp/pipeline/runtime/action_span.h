// Measuring of actions: their names and numbers in a trace, made only while one is recorded.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "hyperpp/core/trace.h"
#include "hyperpp/pipeline/schedule/action.h"

namespace hyperpp::pipeline {

/// Returns a span that measures `action` on `lane` of `trace`, which may be null.
inline TraceSpan SpanOf(Trace* trace, TraceLane lane, const Action& action) {
  if (trace == nullptr || !trace->recording()) return {nullptr, lane, ""};
  std::vector<std::pair<std::string, int64_t>> arguments = {{"stage", action.stage.value}};
  if (HasMicrobatch(action.type)) arguments.emplace_back("microbatch", action.microbatch.value);
  return {trace, lane, FormatAction(action), std::move(arguments)};
}

}  // namespace hyperpp::pipeline

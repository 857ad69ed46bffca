// Writes the trained model as a Hugging Face folder.
#pragma once

#include <string>

#include "hyperpp/trainer/build_model.h"
#include "hyperpp/trainer/run_inputs.h"

namespace hyperpp::trainer {

/// Writes the parameters to `folder` under their own names, in the model's export_dtypes, with
/// config, tokenizer and generation files. Rank 0 writes, and gathers one parameter after another
/// from all ranks.
/// Collective: all ranks. Errors: IoError naming file and reason, on all ranks.
void ExportModel(const RunInputs& inputs, const BuiltModel& built, comm::World& world,
                 const std::string& folder);

/// The tokenizer name that ExportModel recorded in `folder` ("bytes"), or "" if none.
std::string ExportedTokenizer(const std::string& folder);

}  // namespace hyperpp::trainer

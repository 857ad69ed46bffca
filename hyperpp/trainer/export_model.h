// Writes the trained model as a Hugging Face folder.
#pragma once

#include <map>
#include <string>

#include "hyperpp/trainer/build_model.h"
#include "hyperpp/trainer/run_inputs.h"

namespace hyperpp::trainer {

/// Writes the parameters to `folder` under their own names, in the dtypes of the model they were
/// loaded from (random init: the config's dtype), with config, tokenizer and generation files. Rank
/// 0 writes, and gathers one parameter after another from all ranks.
/// Collective: all ranks. Errors: IoError naming file and reason, on all ranks.
void ExportModel(const RunInputs& inputs, const BuiltModel& model, comm::World& world,
                 const std::string& folder);

/// Dtype of every tensor in an exported model: that of the files it was loaded from, or the
/// config's.
std::map<std::string, at::ScalarType> ExportDtypes(const RunInputs& inputs);

/// The tokenizer name that ExportModel recorded in `folder` ("bytes"), or "" if none.
std::string ExportedTokenizer(const std::string& folder);

}  // namespace hyperpp::trainer

// The values that a run starts from: those of a Hugging Face folder, or random ones. Each rank
// fills only the elements that it owns, and comes to the same values in every layout.
#pragma once

#include <cstdint>
#include <string>

#include "hyperpp/trainer/build_model.h"

namespace hyperpp::trainer {

/// Loads all weights from the Hugging Face folder `directory`.
/// Errors: InputError naming missing, unexpected or misshapen tensors before anything is loaded.
void LoadPretrained(BuiltModel& model, const std::string& directory);

/// Initialises all weights from (seed, name), as transformers does for the family.
void InitialiseRandom(BuiltModel& model, uint64_t seed);

/// What a run starts from: LoadPretrained or InitialiseRandom.
void LoadInitialWeights(BuiltModel& model, const RunInputs& inputs);

}  // namespace hyperpp::trainer

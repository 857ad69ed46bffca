// From a model's numbers to a model with values: built on the meta device, then materialised, then
// loaded or initialised. No tensor of the model exists twice on the way.
#pragma once

#include <memory>
#include <set>
#include <string>

#include "hyperpp/models/decoder.h"
#include "hyperpp/models/parameter_store.h"
#include "hyperpp/trainer/run_inputs.h"

namespace hyperpp::trainer {

struct BuiltModel {
  std::shared_ptr<models::Decoder> decoder;
  std::unique_ptr<models::ParameterStore> store;
};

/// Builds and materialises the model of `spec`; values are not set yet.
/// `trainable`: names of the parameters that are trained; the rest is frozen.
BuiltModel MaterialiseModel(const models::DecoderSpec& spec, const std::set<std::string>& trainable,
                            at::Device device, at::ScalarType compute_dtype, bool with_gradients);

/// Loads all weights from the Hugging Face folder `directory`.
/// Errors: InputError naming missing, unexpected or misshapen tensors before anything is loaded.
void LoadPretrained(BuiltModel& model, const std::string& directory);

/// Initialises all weights from (seed, name), as transformers does for the family.
void InitialiseRandom(BuiltModel& model, uint64_t seed);

/// What a run starts from: LoadPretrained or InitialiseRandom.
void LoadInitialWeights(BuiltModel& model, const RunInputs& inputs);

}  // namespace hyperpp::trainer

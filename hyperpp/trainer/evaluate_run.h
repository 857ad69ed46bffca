// The evaluate command: a model, its evaluation data, one number.
#pragma once

#include "hyperpp/comm/world.h"
#include "hyperpp/trainer/evaluation.h"
#include "hyperpp/trainer/run_inputs.h"

namespace hyperpp::trainer {

/// Loads the model (from the checkpoint that checkpoint.resume names, else as training would start)
/// and evaluates it on evaluation.data, or on the training data in order if that is not given.
/// Collective: all ranks. Writes nothing.
EvaluationResult EvaluateRun(const RunInputs& inputs, comm::World& world);

}  // namespace hyperpp::trainer

// What must hold before a run continues from a checkpoint: it is of the same model, and the
// optimizer state is complete. A run never continues with empty moments unless weights-only loading
// was asked for.
#pragma once

#include <string>
#include <vector>

#include "hyperpp/checkpoint/reader.h"
#include "hyperpp/core/outline.h"

namespace hyperpp::checkpoint {

/// Checks that the checkpoint holds every parameter of `outline` with its shape, and ties the same.
/// Errors: InputError naming all parameters that are missing, of another shape, or left over.
void CheckModel(const CheckpointReader& reader, const ModelOutline& outline);

/// What a run's optimizer keeps.
struct OptimizerNeeds {
  std::string type;                    // "adamw", "sgd"
  std::vector<std::string> kinds;      // kExpAvg, ...; empty for SGD without momentum
  std::vector<std::string> trainable;  // names of the parameters it updates
};

/// Checks that the checkpoint holds the state of this optimizer for every trainable parameter.
/// Returns false if there is none because no step was made yet (an imported model, step 0): the run
/// then starts with fresh state.
/// Errors: InputError naming the entries that are missing, or both optimizer types.
bool CheckOptimizer(const CheckpointReader& reader, const OptimizerNeeds& needs);

}  // namespace hyperpp::checkpoint

// When a run saves and what it resumes from: the trainer's side of checkpoint/.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "hyperpp/checkpoint/async_saver.h"
#include "hyperpp/checkpoint/reader.h"
#include "hyperpp/comm/world.h"
#include "hyperpp/core/log.h"
#include "hyperpp/optim/optimizer.h"
#include "hyperpp/trainer/build_model.h"
#include "hyperpp/trainer/run_inputs.h"

namespace hyperpp::trainer {

/// What a run has done so far, beside weights and optimizer state.
struct RunState {
  int64_t step = 0;    // completed optimizer steps
  int64_t tokens = 0;  // inputs without padding since step 0
};

class Checkpointing {
 public:
  Checkpointing(const RunInputs& inputs, comm::World& world, const Log& log);

  /// Whether this run saves at all: an interval or a directory is given.
  bool enabled() const;
  bool Due(int64_t step) const;

  /// Refuses to start over a folder that holds checkpoints when nothing is to be resumed.
  /// Errors: ConfigError naming folder and keys.
  void RefuseToOverwrite() const;

  /// Loads what checkpoint.resume asks for into `store` and `optimizer`; returns the state reached,
  /// or nothing if there is no checkpoint to resume from. Collective: all ranks. Errors: InputError
  /// naming a damaged file and the checkpoint before, or what is missing.
  std::optional<RunState> Resume(models::ParameterStore& store, optim::Optimizer& optimizer);

  /// The step folder that checkpoint.resume means; nothing if there is none to resume from.
  std::optional<std::string> Find() const;
  /// Loads only the weights of the checkpoint behind `reader`. Errors: as Resume.
  void LoadWeights(checkpoint::CheckpointReader& reader, models::ParameterStore& store) const;

  /// Saves everything a resumed run needs; with checkpoint.async, finishes the save before and
  /// begins this one. Collective: all ranks. Errors: IoError on all ranks if one cannot write.
  void Save(const RunState& state, const nlohmann::json& data_position, const BuiltModel& model,
            const optim::Optimizer& optimizer);

  /// Returns when a save under way, if any, is complete. Collective: all ranks.
  /// Errors: as Save.
  void Finish();
  /// Whether this rank's part of a save under way has failed; Finish throws the error.
  bool SaveFailed() const { return background_ && background_->failed(); }

 private:
  std::string Directory() const;
  void LoadOptimizer(checkpoint::CheckpointReader& reader, const models::ParameterStore& store,
                     optim::Optimizer& optimizer) const;

  const RunInputs& inputs_;
  comm::World& world_;
  const Log& log_;
  std::unique_ptr<checkpoint::AsyncSaver> background_;  // with checkpoint.async
  std::optional<int64_t> step_under_way_;               // which it is writing
};

}  // namespace hyperpp::trainer

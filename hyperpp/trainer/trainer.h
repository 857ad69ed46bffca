// One rank's training run: build, resume, the loop over steps, evaluation, checkpoints and export.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "hyperpp/comm/world.h"
#include "hyperpp/core/log.h"
#include "hyperpp/core/trace.h"
#include "hyperpp/data/source.h"
#include "hyperpp/trainer/build_model.h"
#include "hyperpp/trainer/checkpointing.h"
#include "hyperpp/trainer/device.h"
#include "hyperpp/trainer/evaluation.h"
#include "hyperpp/trainer/run_inputs.h"
#include "hyperpp/trainer/train_step.h"

namespace hyperpp::trainer {

class StepRecorder;

class Trainer {
 public:
  /// Builds everything and resumes if asked to. Nothing has been trained when an error is thrown.
  /// Collective: all ranks. Errors: InputError, ConfigError, IoError, as the parts say.
  Trainer(const RunInputs& inputs, comm::World& world, const Log& log);
  ~Trainer();

  /// Trains until training.steps or until a rank is asked to stop, then saves and exports.
  /// `stop_requested`: asked once a step, e.g. whether a signal came. Collective: all ranks.
  /// Errors: NonFiniteError naming the step.
  void Run(const std::function<bool()>& stop_requested);

  /// Loss over evaluation.data. REQUIRES: evaluation.data is given. Collective: all ranks.
  EvaluationResult RunEvaluation();

 private:
  void Introduce() const;
  void OpenData();
  void OpenOutput();
  void Resume();
  void OpenChecksums();
  std::optional<double> PeakFlopsOfJob() const;
  bool TrainOneStep(int64_t step, bool stop_requested, StepRecorder& recorder);
  void HandleNonFinite(int64_t step, const StepResult& result);
  bool EvaluationDue(int64_t step) const;
  void TraceSteps(int64_t step);
  void Save(int64_t step);
  void Export();

  const RunInputs& inputs_;
  const config::Config& config_;
  comm::World& world_;
  const Log& log_;
  RunDevice device_;
  Trace trace_;
  BuiltModel model_;
  std::unique_ptr<optim::Optimizer> optimizer_;
  std::unique_ptr<data::BatchStream> stream_;
  std::unique_ptr<data::Source> evaluation_data_;
  std::unique_ptr<BatchReader> reader_;
  std::unique_ptr<TrainStep> step_;
  std::unique_ptr<ChecksumLog> checksums_;
  std::unique_ptr<Checkpointing> checkpoints_;
  RunState state_;
};

}  // namespace hyperpp::trainer

// Where the numbers of a step go: metrics.jsonl, the progress line, TensorBoard.
#pragma once

#include <memory>
#include <optional>

#include "hyperpp/core/log.h"
#include "hyperpp/trainer/metrics_log.h"
#include "hyperpp/trainer/progress.h"
#include "hyperpp/trainer/run_inputs.h"
#include "hyperpp/trainer/tensorboard.h"
#include "hyperpp/trainer/train_step.h"

namespace hyperpp::trainer {

struct StepRecord {
  int64_t step = 0;
  StepResult result;
  double learning_rate = 0;
  int64_t step_tokens = 0, total_tokens = 0;  // inputs without padding
  double seconds = 0;
  std::optional<double> evaluation_loss;
};

/// Writes on rank 0 and does nothing on the others.
class StepRecorder {
 public:
  /// `last_step`: records after it are dropped from metrics.jsonl. `peak_flops`: FLOP/s of all
  /// ranks' devices together, if known; without it there is no mfu.
  StepRecorder(const RunInputs& inputs, const Log& log, int64_t last_step,
               std::optional<double> peak_flops);

  void Write(const StepRecord& record);
  /// Ends a progress line that is being rewritten.
  void Break();

 private:
  std::unique_ptr<MetricsLog> metrics_;
  std::unique_ptr<TensorBoardWriter> tensorboard_;
  Progress progress_;
  double flops_per_token_;
  std::optional<double> peak_flops_;
};

}  // namespace hyperpp::trainer

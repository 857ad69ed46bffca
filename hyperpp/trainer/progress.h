// What a person sees of a run: on a terminal one line that is rewritten, elsewhere a plain line per
// log_interval steps.
//
//     step 120/2000  loss 3.2181  grad norm 0.84  lr 3.0e-04  12.4k tokens/s  eta 4m 10s
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "hyperpp/core/log.h"

namespace hyperpp::trainer {

struct ProgressRecord {
  int64_t step = 0;
  double loss = 0, grad_norm = 0, learning_rate = 0, tokens_per_second = 0;
  std::optional<double> evaluation_loss;
};

class Progress {
 public:
  Progress(const Log& log, int64_t first_step, int64_t total_steps, int64_t log_interval);

  /// Shows the end of a step.
  void Show(const ProgressRecord& record);
  /// Ends the rewritten line, so that other lines can follow.
  void Break();

 private:
  std::string Eta(int64_t step) const;

  const Log& log_;
  int64_t first_step_, total_steps_, log_interval_;
  bool terminal_;
  bool line_open_ = false;
  std::chrono::steady_clock::time_point start_;
};

/// "4m 10s", "2h 05m", "12s".
std::string DurationText(double seconds);
/// "12.4k", "1.3M", "870".
std::string RateText(double value);

}  // namespace hyperpp::trainer

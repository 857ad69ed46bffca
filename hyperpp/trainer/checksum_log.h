// Hashes of every local gradient and weight after each step, per rank, so that two runs can be
// compared rank by rank: output/checksums/rank_R.jsonl, one object per step:
//
//     {"step": 3, "gradients": {"model.norm.weight": "9f2c...", ...}, "weights": {...}}
//
// Hashes are taken of what the rank owns, gradients after all reductions and before clipping. They
// stay on the device until the next step has been read, so that no step waits for them.
// tools/first_difference.py compares two such folders.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "hyperpp/models/parameter_store.h"
#include "hyperpp/trainer/metrics_log.h"

namespace hyperpp::trainer {

class ChecksumLog {
 public:
  /// Records of steps after `last_step` in `path` are dropped. Errors: IoError.
  ChecksumLog(const std::string& path, const models::ParameterStore& store, int64_t last_step);

  /// Hashes the gradients of `step`, once they are final.
  void TakeGradients(int64_t step);
  /// Hashes the weights after the update of the same step, and writes the record of the step
  /// before. Errors: IoError.
  void TakeWeights();
  /// Writes the last record. Errors: IoError.
  void Finish();

 private:
  struct Hashes {
    int64_t step = 0;
    at::Tensor gradients, weights;  // int64, one element for each that is listed
  };

  const models::ParameterStore& store_;
  MetricsLog log_;
  Hashes now_;
  std::optional<Hashes> before_;  // not written yet
};

}  // namespace hyperpp::trainer

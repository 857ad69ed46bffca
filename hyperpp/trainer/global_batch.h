// A rank's share of a step's global batch, and the numbers that weigh its losses.
//
// Data-parallel coordinate d of D reads samples d * G/D ... (d+1) * G/D - 1 of the G samples; ranks
// that differ only in other coordinates read the same ones, and of these context-parallel ranks
// keep their tokens. Lengths and labels are counted before that, on whole samples. The loss is
// normalised by counts over the whole global batch, which all ranks agree on before the first
// forward pass, so that every gradient is right from the start and no division is left for later:
//
//     token_mean:        weight of a token = 1 / labels in the global batch
//     microbatch_mean:   weight of a token = 1 / (labels in its microbatch * microbatches with a
//     label)
#pragma once

#include <vector>

#include "hyperpp/comm/world.h"
#include "hyperpp/config/config.h"
#include "hyperpp/data/source.h"
#include "hyperpp/trainer/microbatch.h"

namespace hyperpp::trainer {

struct LocalBatch {
  std::vector<Microbatch> microbatches;
  std::vector<double> token_weights;  // of each microbatch; 0 where it has no label
  int64_t global_labels = 0;          // of the whole global batch
  int64_t global_tokens = 0;          // without padding
};

class BatchReader {
 public:
  BatchReader(data::BatchStream& stream, comm::World& world, const config::Config& config,
              int64_t microbatch_size, at::Device device);

  /// Reads this rank's samples of `step` and agrees with the other ranks on the counts.
  /// Collective: all ranks.
  LocalBatch Read(int64_t step);

 private:
  data::BatchStream& stream_;
  comm::World& world_;
  const config::TrainingSection training_;
  int64_t microbatch_size_;
  int64_t local_batch_;
  TokenShare share_;
  at::Device device_;
};

}  // namespace hyperpp::trainer

// The global batches of a run. Draw t = (step - 1) * G + index of the whole run belongs to a source
// (mixture_order.h) and there to a place in one of its epochs, and the place to a sample:
//
//     t -> source, n-th draw of it -> epoch n / L, place n % L -> sample order(epoch)[place]
//
// One source: L = floor(N / G) * G of its N samples, so that epochs begin with a batch. Several: L
// = N, since a batch holds samples of all. `order` is the file's order, or with shuffle a
// permutation of all N samples by (seed, source, epoch), of which a single source drops the last N
// - L places: a different tail in every epoch.
//
// Nothing here knows ranks: every rank may ask for any sample, and gets the same one.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "hyperpp/data/mixture_order.h"
#include "hyperpp/data/permutation.h"
#include "hyperpp/data/source.h"

namespace hyperpp::data {

struct WeightedSource {
  std::unique_ptr<Source> source;
  double weight = 1;
};

class SourceBatches : public BatchStream {
 public:
  struct Options {
    int64_t global_batch_size = 0;
    int64_t seed = 0;
    bool shuffle = false;
  };

  /// Takes `sources`. Errors: InputError if a single source has fewer samples than a batch, or one
  /// of several has none, saying what is there and what is needed.
  SourceBatches(std::vector<WeightedSource> sources, const Options& options);

  Sample Read(int64_t step, int64_t index) override;
  nlohmann::json Position(int64_t step) override;

 private:
  struct Shuffled {
    int64_t epoch;
    Permutation order;
  };
  struct Part {
    std::unique_ptr<Source> source;
    int64_t samples_per_epoch = 0;
    std::optional<Shuffled> shuffled;  // of the epoch that was read last
  };

  int64_t SampleAt(size_t source, int64_t draw);

  Options options_;
  std::vector<Part> parts_;
  MixtureOrder order_;
  int64_t batch_step_ = 0;  // the step that batch_ belongs to; 0: none
  std::vector<MixtureOrder::Draw> batch_;
};

}  // namespace hyperpp::data

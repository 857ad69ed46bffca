#include "hyperpp/trainer/global_batch.h"

#include <algorithm>
#include <utility>

#include <ATen/ops/tensor.h>

#include "hyperpp/core/error.h"

namespace hyperpp::trainer {
namespace {

struct Counts {
  int64_t labels = 0, labelled_microbatches = 0, tokens = 0, longest = 0;
};

// Sums over the data-parallel coordinates, except for the longest sample. Of the ranks that read
// the same samples only one is counted.
Counts AgreeOnCounts(Counts local, comm::World& world) {
  if (world.size() == 1) return local;
  const auto& layout = world.layout();
  const bool counted = layout.Coordinate(world.rank(), Axis::kPipeline) == 0 &&
                       layout.Coordinate(world.rank(), Axis::kContext) == 0 &&
                       layout.Coordinate(world.rank(), Axis::kTensor) == 0;
  at::Tensor sums =
      at::tensor({local.labels, local.labelled_microbatches, local.tokens}, at::kLong);
  if (!counted) sums.zero_();
  at::Tensor longest = at::tensor({local.longest}, at::kLong);
  world.Control().AllReduce(sums)->Wait();
  world.Control().AllReduce(longest, comm::ReduceOp::kMax)->Wait();
  const int64_t* sum = sums.const_data_ptr<int64_t>();
  return {sum[0], sum[1], sum[2], longest.const_data_ptr<int64_t>()[0]};
}

}  // namespace

BatchReader::BatchReader(data::BatchStream& stream, comm::World& world,
                         const config::Config& config, int64_t microbatch_size, at::Device device)
    : stream_(stream),
      world_(world),
      training_(config.training),
      microbatch_size_(microbatch_size),
      local_batch_(config.training.global_batch_size / world.layout().DataDegree()),
      share_(TokenShareOf(world.layout(), world.rank(), config.context_parallel.load_balance)),
      device_(device) {
  HYPERPP_CHECK_EQ(local_batch_ % microbatch_size_, 0, "local batch {}, microbatch {}",
                   local_batch_, microbatch_size_);
}

LocalBatch BatchReader::Read(int64_t step) {
  const int64_t first = world_.layout().DataCoordinate(world_.rank()) * local_batch_;
  std::vector<data::Sample> samples;
  Counts local;
  for (int64_t i = 0; i < local_batch_; ++i) {
    samples.push_back(stream_.Read(step, first + i));
    local.labels += samples.back().NumLabels();
    local.tokens += samples.back().length();
    local.longest = std::max(local.longest, samples.back().length());
  }
  const auto microbatch_labels = [&](int64_t begin) {
    int64_t labels = 0;
    for (int64_t i = begin; i < begin + microbatch_size_; ++i) labels += samples[i].NumLabels();
    return labels;
  };
  for (int64_t i = 0; i < local_batch_; i += microbatch_size_)
    local.labelled_microbatches += microbatch_labels(i) > 0;
  const Counts global = AgreeOnCounts(local, world_);

  LocalBatch batch;
  batch.global_labels = global.labels;
  batch.global_tokens = global.tokens;
  for (int64_t i = 0; i < local_batch_; i += microbatch_size_) {
    const std::vector<data::Sample> part(samples.begin() + i,
                                         samples.begin() + i + microbatch_size_);
    batch.microbatches.push_back(MakeMicrobatch(part, first + i, global.longest, share_, device_));
    const int64_t labels = batch.microbatches.back().num_labels;
    const bool by_microbatch = training_.loss_reduction == config::LossReduction::kMicrobatchMean;
    const int64_t divisor = by_microbatch ? labels * global.labelled_microbatches : global.labels;
    batch.token_weights.push_back(labels > 0 ? 1.0 / static_cast<double>(divisor) : 0.0);
  }
  return batch;
}

}  // namespace hyperpp::trainer

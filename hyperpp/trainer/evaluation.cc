#include "hyperpp/trainer/evaluation.h"

#include <algorithm>
#include <limits>
#include <vector>

#include <ATen/ops/tensor.h>

#include "hyperpp/trainer/microbatch.h"

namespace hyperpp::trainer {
namespace {

// Microbatches that go through the pipeline together, for each of its ranks: enough to keep all of
// them busy, few enough that their ids take no memory to speak of.
constexpr std::size_t kMicrobatchesPerRank = 8;

double SumOfLosses(pipeline::AutoPipeline& pipeline,
                   std::vector<pipeline::MicrobatchInput>& microbatches) {
  double sum = 0;
  for (const at::Tensor& loss : pipeline.Evaluate(microbatches)) sum += loss.item<double>();
  microbatches.clear();
  return sum;
}

}  // namespace

EvaluationResult Evaluate(pipeline::AutoPipeline& pipeline, const data::Source& source,
                          comm::World& world, int64_t batch_size, at::Device device) {
  const int64_t degree = world.layout().DataDegree();
  const int64_t num_samples = source.NumEvaluationSamples();
  const auto group_size =
      kMicrobatchesPerRank * static_cast<std::size_t>(world.layout().Degree(Axis::kPipeline));
  double loss_sum = 0;
  int64_t labels = 0;
  std::vector<data::Sample> batch;
  std::vector<pipeline::MicrobatchInput> group;
  const auto flush = [&] {
    if (batch.empty()) return;
    int64_t longest = 0;
    for (const data::Sample& sample : batch) longest = std::max(longest, sample.length());
    const Microbatch microbatch = MakeMicrobatch(batch, 0, longest, device);
    labels += microbatch.num_labels;
    group.push_back(InputOf(microbatch, /*token_weight=*/1.0, /*step=*/0));
    if (group.size() == group_size) loss_sum += SumOfLosses(pipeline, group);
    batch.clear();
  };
  for (int64_t i = world.layout().DataCoordinate(world.rank()); i < num_samples; i += degree) {
    batch.push_back(source.Read(i));
    if (static_cast<int64_t>(batch.size()) == batch_size) flush();
  }
  flush();
  loss_sum += SumOfLosses(pipeline, group);

  if (world.size() > 1) {
    // Losses are known on last stages alone, labels on all ranks.
    if (!pipeline.info().has_last_stage) labels = 0;
    at::Tensor sums = at::tensor({loss_sum, static_cast<double>(labels)}, at::kDouble);
    world.Control().AllReduce(sums)->Wait();
    loss_sum = sums.const_data_ptr<double>()[0];
    labels = static_cast<int64_t>(sums.const_data_ptr<double>()[1]);
  }
  const double mean = labels > 0 ? loss_sum / static_cast<double>(labels)
                                 : std::numeric_limits<double>::quiet_NaN();
  return {mean, labels};
}

}  // namespace hyperpp::trainer

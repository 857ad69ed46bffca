#include "hyperpp/trainer/evaluation.h"

#include <algorithm>
#include <limits>
#include <vector>

#include <ATen/ops/tensor.h>

#include "hyperpp/core/round_up.h"

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

EvaluationBatches EvaluationBatchesOf(const RunInputs& inputs, comm::World& world,
                                      at::Device device) {
  const bool balanced = inputs.config.context_parallel.load_balance;
  return {inputs.plan.batch.microbatch, TokenShareOf(world.layout(), world.rank(), balanced),
          device};
}

EvaluationResult Evaluate(pipeline::AutoPipeline& pipeline, const data::Source& source,
                          comm::World& world, const EvaluationBatches& batches) {
  const int64_t degree = world.layout().DataDegree();
  const int64_t num_samples = source.NumEvaluationSamples();
  const auto group_size =
      kMicrobatchesPerRank * static_cast<std::size_t>(world.layout().Degree(Axis::kPipeline));
  // Ranks that share weights run their passes together: a rank whose samples have run out goes on
  // with a token without label.
  const int64_t num_batches = CeilDivide(CeilDivide(num_samples, degree), batches.batch_size);
  const data::Sample nothing{{0}, {data::kNoLabel}, {0}};
  double loss_sum = 0;
  int64_t labels = 0, next = world.layout().DataCoordinate(world.rank());
  std::vector<pipeline::MicrobatchInput> group;
  for (int64_t i = 0; i < num_batches; ++i) {
    std::vector<data::Sample> batch;
    for (; static_cast<int64_t>(batch.size()) < batches.batch_size && next < num_samples;
         next += degree)
      batch.push_back(source.Read(next));
    if (batch.empty()) batch.push_back(nothing);
    int64_t longest = 0;
    for (const data::Sample& sample : batch) longest = std::max(longest, sample.length());
    const Microbatch microbatch = MakeMicrobatch(batch, 0, longest, batches.share, batches.device);
    labels += microbatch.num_labels;
    group.push_back(InputOf(microbatch, /*token_weight=*/1.0, /*step=*/0));
    if (group.size() == group_size || i + 1 == num_batches)
      loss_sum += SumOfLosses(pipeline, group);
  }

  if (world.size() > 1) {
    // Last stages have losses; context-parallel ranks have those of their tokens, and tensor-
    // parallel ranks the same ones. Labels are known on all ranks.
    const bool is_first_of_tensor = world.layout().Coordinate(world.rank(), Axis::kTensor) == 0;
    const bool is_first_of_context = world.layout().Coordinate(world.rank(), Axis::kContext) == 0;
    if (!is_first_of_tensor) loss_sum = 0;
    if (!pipeline.info().has_last_stage || !is_first_of_tensor || !is_first_of_context) labels = 0;
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

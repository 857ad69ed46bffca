#include "hyperpp/trainer/evaluation.h"

#include <algorithm>
#include <limits>
#include <vector>

#include <ATen/core/grad_mode.h>
#include <ATen/ops/tensor.h>

#include "hyperpp/trainer/microbatch.h"

namespace hyperpp::trainer {
namespace {

double LossSum(models::Decoder& model, const Microbatch& microbatch,
               const kernels::RotaryTables& tables) {
  const models::ForwardContext context = MakeContext(microbatch, tables);
  const at::Tensor hidden = model.RunLayers(model.Embed(microbatch.ids_T), context);
  return model.HeadLoss(model.Normalise(hidden), microbatch.labels_T, 1.0, /*with_gradient=*/false)
      .loss_sum;
}

}  // namespace

EvaluationResult Evaluate(models::Decoder& model, const data::Source& source, comm::World& world,
                          const kernels::RotaryTables& tables, int64_t batch_size,
                          at::Device device) {
  const at::NoGradGuard no_grad;
  const int64_t degree = world.layout().DataDegree();
  const int64_t num_samples = source.NumEvaluationSamples();
  double loss_sum = 0;
  int64_t labels = 0;
  std::vector<data::Sample> batch;
  const auto flush = [&] {
    if (batch.empty()) return;
    int64_t longest = 0;
    for (const data::Sample& sample : batch) longest = std::max(longest, sample.length());
    const Microbatch microbatch = MakeMicrobatch(batch, 0, longest, device);
    if (microbatch.num_labels > 0) loss_sum += LossSum(model, microbatch, tables);
    labels += microbatch.num_labels;
    batch.clear();
  };
  for (int64_t i = world.layout().DataCoordinate(world.rank()); i < num_samples; i += degree) {
    batch.push_back(source.Read(i));
    if (static_cast<int64_t>(batch.size()) == batch_size) flush();
  }
  flush();

  if (world.size() > 1) {
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

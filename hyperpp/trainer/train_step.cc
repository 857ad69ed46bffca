#include "hyperpp/trainer/train_step.h"

#include <cmath>
#include <limits>
#include <utility>

#include <ATen/ops/arange.h>
#include <ATen/ops/tensor.h>
#include <torch/csrc/autograd/autograd.h>

#include "hyperpp/optim/gradient_norm.h"
#include "hyperpp/trainer/memory.h"

namespace hyperpp::trainer {
namespace {

// Large enough for full bandwidth, small enough that reduction starts early in the backward pass.
constexpr int64_t kBucketBytes = 25 << 20;

}  // namespace

TrainStep::TrainStep(models::Decoder& model, models::ParameterStore& store,
                     optim::Optimizer& optimizer, comm::World& world, const config::Config& config,
                     kernels::RotaryTables tables)
    : model_(model),
      store_(store),
      optimizer_(optimizer),
      world_(world),
      config_(config),
      tables_(std::move(tables)),
      trainable_(store.TrainableWeights()),
      reducer_(store, world.Along({Axis::kReplicate}), kBucketBytes) {}

StepResult TrainStep::Run(const StepRequest& request, const LocalBatch& batch) {
  store_.ZeroGradients();
  double loss = 0;
  for (std::size_t i = 0; i < batch.microbatches.size(); ++i) {
    if (i + 1 == batch.microbatches.size()) reducer_.Arm();
    if (batch.microbatches[i].num_labels == 0) continue;  // adds nothing to loss or gradients
    loss += ForwardBackward(request, batch.microbatches[i], batch.token_weights[i]);
  }
  reducer_.Finish();

  const double norm = std::sqrt(optim::GradientSumOfSquares(trainable_));
  StepResult result = Agree(loss, norm, request.stop_requested);
  if (batch.global_labels == 0) {
    result.loss = std::numeric_limits<double>::quiet_NaN();
    return result;
  }
  if (result.finite) {
    optimizer_.Step(request.step, request.learning_rate,
                    optim::ClipFactor(norm, config_.optimizer.clip_grad_norm));
  }
  return result;
}

double TrainStep::ForwardBackward(const StepRequest& request, const Microbatch& microbatch,
                                  double token_weight) {
  models::ForwardContext context = MakeContext(microbatch, tables_);
  const models::DropoutContext dropout{static_cast<uint64_t>(config_.training.seed),
                                       static_cast<uint64_t>(request.step), microbatch.sample_ids_B,
                                       at::arange(microbatch.sequence, at::kInt)};
  context.dropout = &dropout;
  const at::Tensor hidden = model_.RunLayers(model_.Embed(microbatch.ids_T), context);
  const at::Tensor normed = model_.Normalise(hidden);
  const kernels::HeadLossResult head =
      model_.HeadLoss(normed, microbatch.labels_T, token_weight, /*with_gradient=*/true);
  if (normed.requires_grad()) torch::autograd::backward({normed}, {head.grad_x_TH});
  return head.loss_sum * token_weight;
}

StepResult TrainStep::Agree(double local_loss, double grad_norm, bool stop_requested) {
  StepResult result{.loss = local_loss,
                    .grad_norm = grad_norm,
                    .stop = stop_requested,
                    .peak_memory_bytes = PeakMemoryBytes()};
  if (world_.size() > 1) {
    // Loss: replicas add up their parts. A non-finite value anywhere survives the sum on every
    // rank.
    at::Tensor sums = at::tensor({result.loss, grad_norm, stop_requested ? 1.0 : 0.0}, at::kDouble);
    at::Tensor peak = at::tensor({result.peak_memory_bytes}, at::kLong);
    world_.Control().AllReduce(sums)->Wait();
    world_.Control().AllReduce(peak, comm::ReduceOp::kMax)->Wait();
    const double* sum = sums.const_data_ptr<double>();
    result.loss = sum[0];
    result.finite = std::isfinite(sum[1]);
    result.stop = sum[2] > 0;
    result.peak_memory_bytes = peak.const_data_ptr<int64_t>()[0];
  }
  result.finite = result.finite && std::isfinite(result.loss) && std::isfinite(grad_norm);
  return result;
}

}  // namespace hyperpp::trainer

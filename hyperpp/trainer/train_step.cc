#include "hyperpp/trainer/train_step.h"

#include <cmath>
#include <limits>
#include <utility>

#include <ATen/ops/empty.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/tensor.h>

#include "hyperpp/models/spec/families.h"
#include "hyperpp/optim/gradient_norm.h"
#include "hyperpp/parallel/tensor/apply.h"
#include "hyperpp/trainer/memory.h"

namespace hyperpp::trainer {
namespace {

// Large enough for full bandwidth, small enough that reduction starts early in the backward pass.
constexpr int64_t kBucketBytes = 25 << 20;

std::vector<models::Weight*> CountedWeights(const BuiltModel& model, comm::World& world) {
  std::vector<models::Weight*> counted = model.store->TrainableWeights();
  std::erase_if(counted, [&](const auto* weight) { return !CountsHere(*weight, model, world); });
  return counted;
}

ExactSum SumOf(const at::Tensor& losses) {
  const at::Tensor host = losses.cpu();
  ExactSum sum;
  for (int64_t i = 0; i < host.numel(); ++i) sum.Add(host.const_data_ptr<double>()[i]);
  return sum;
}

}  // namespace

TrainStep::TrainStep(BuiltModel& model, optim::Optimizer& optimizer, comm::World& world,
                     const config::Config& config, Trace* trace)
    : model_(model),
      optimizer_(optimizer),
      world_(world),
      config_(config),
      trace_(trace),
      counted_(CountedWeights(model, world)),
      partial_(parallel::PartialGradientWeights(
          model.store->TrainableWeights(),
          models::FindFamily(model.decoder->spec().family)->tensor_placements(),
          config.accelerator.sequence_parallel)),
      replicas_(world.Along({Axis::kReplicate, Axis::kContext})) {
  if (!model.sharding)
    reducer_ = std::make_unique<parallel::GradientReducer>(*model.store, replicas_, kBucketBytes);
}

StepResult TrainStep::Run(const StepRequest& request, const LocalBatch& batch) {
  model_.store->ZeroGradients();
  BeginReduction(static_cast<int64_t>(batch.microbatches.size()));
  const at::Tensor losses = ForwardBackward(request, batch);
  {
    const TraceSpan span(trace_, TraceLane::kWait, "reduce gradients");
    FinishReduction();
    parallel::SumPartialGradients(partial_, world_.Along({Axis::kTensor}));
    SumTiedGradients();
  }
  if (checksums_ != nullptr) checksums_->TakeGradients(request.step);
  StepResult result = Agree(losses, request.stop_requested);
  UpdateWeights(request, batch, result);
  if (checksums_ != nullptr) checksums_->TakeWeights();
  return result;
}

// A step without a label, or with a non-finite number, leaves all weights alone.
void TrainStep::UpdateWeights(const StepRequest& request, const LocalBatch& batch,
                              StepResult& result) {
  if (batch.global_labels == 0) {
    result.loss = std::numeric_limits<double>::quiet_NaN();
    return;
  }
  if (!result.finite) return;
  const TraceSpan span(trace_, TraceLane::kCompute, "optimizer");
  optimizer_.Step(request.step, request.learning_rate,
                  optim::ClipFactor(result.grad_norm, config_.optimizer.clip_grad_norm));
}

at::Tensor TrainStep::ForwardBackward(const StepRequest& request, const LocalBatch& batch) {
  std::vector<pipeline::MicrobatchInput> inputs;
  for (std::size_t i = 0; i < batch.microbatches.size(); ++i)
    inputs.push_back(InputOf(batch.microbatches[i], batch.token_weights[i], request.step));
  std::vector<at::Tensor> losses;
  for (const at::Tensor& part : model_.pipeline->Step(inputs)) losses.push_back(part.detach());
  // Tensor-parallel ranks all have the same loss.
  const bool counts = world_.layout().Coordinate(world_.rank(), Axis::kTensor) == 0;
  return losses.empty() || !counts ? at::empty({0}, at::kDouble) : at::stack(losses);
}

void TrainStep::BeginReduction(int64_t num_microbatches) {
  if (reducer_) return reducer_->Begin(num_microbatches);
  const bool pipelined = world_.layout().Degree(Axis::kPipeline) > 1;
  model_.sharding->BeginStep(pipelined ? num_microbatches : 1);
}

// Shards are summed over their replicas once they are final, in pieces of a bucket's size.
void TrainStep::FinishReduction() {
  if (reducer_) return reducer_->Finish();
  model_.sharding->FinishStep();
  if (replicas_.size() == 1) return;
  std::vector<comm::WorkPtr> works;
  for (const at::Tensor& piece :
       model_.store->gradients().split(kBucketBytes / static_cast<int64_t>(sizeof(float))))
    works.push_back(replicas_.AllReduce(piece));
  for (comm::WorkPtr& work : works) work->Wait();
}

void TrainStep::SumTiedGradients() {
  for (const pipeline::SharedParameter& shared : model_.pipeline->shared_parameters()) {
    for (const models::Weight* weight : model_.store->weights()) {
      if (weight->fqn() == shared.fqn && weight->trainable())
        model_.pipeline->SumSharedGradient(shared.fqn, weight->owned_gradient());
    }
  }
}

// Only last stages have losses, and the other ranks with the same tokens give none; gradients are
// given by the ranks that count them. Limbs add up to the same bits in every layout, and a
// non-finite value anywhere survives on every rank.
StepResult TrainStep::Agree(const at::Tensor& losses, bool stop_requested) {
  // The only place where the host waits for a GPU: the norm is read, and then the losses.
  const ExactSum sum_of_squares = optim::GradientSumOfSquares(counted_);
  const ExactSum::Limbs parts[] = {SumOf(losses).ToLimbs(), sum_of_squares.ToLimbs()};
  std::vector<double> values;
  for (const ExactSum::Limbs& part : parts) values.insert(values.end(), part.begin(), part.end());
  values.push_back(stop_requested ? 1.0 : 0.0);
  at::Tensor sums = at::tensor(values, at::kDouble);
  at::Tensor peak = at::tensor({PeakMemoryBytes(model_.store->device())}, at::kLong);
  if (world_.size() > 1) {
    const TraceSpan span(trace_, TraceLane::kWait, "agree");
    world_.Control().AllReduce(sums)->Wait();
    world_.Control().AllReduce(peak, comm::ReduceOp::kMax)->Wait();
  }
  const double* sum = sums.const_data_ptr<double>();
  StepResult result{.loss = ExactSum::FromLimbs(sum).Value(),
                    .grad_norm = std::sqrt(ExactSum::FromLimbs(sum + ExactSum::kNumLimbs).Value()),
                    .stop = sum[2 * ExactSum::kNumLimbs] > 0,
                    .peak_memory_bytes = peak.const_data_ptr<int64_t>()[0]};
  result.finite = std::isfinite(result.loss) && std::isfinite(result.grad_norm);
  return result;
}

}  // namespace hyperpp::trainer

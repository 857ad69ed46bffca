// SmallModel in a pipeline, and the same in one process without any of the runtime.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include <ATen/CPUGeneratorImpl.h>
#include <gtest/gtest.h>

#include "hyperpp/comm/world.h"
#include "hyperpp/meta/materialise.h"
#include "hyperpp/models/random_init.h"
#include "hyperpp/pipeline/runtime/auto_pipeline.h"
#include "tests/pipeline/runtime/small_model.h"
#include "tests/support/near_tensors.h"

namespace hyperpp::pipeline {

inline constexpr int64_t kRows = 2, kLength = 5;  // of a microbatch

inline MeshLayout Stages(int num_ranks) { return MeshLayout({num_ranks, 1, 1, 1, 1}); }

/// Random microbatches: some tokens have no label, and all of microbatch 1 has none.
inline std::vector<MicrobatchInput> SmallBatch(int count, const SmallModelOptions& options = {},
                                               uint64_t seed = 1) {
  auto random = at::make_generator<at::CPUGeneratorImpl>(seed);
  std::vector<MicrobatchInput> batch(static_cast<std::size_t>(count));
  int64_t labels = 0;
  for (int i = 0; i < count; ++i) {
    const auto draw = [&](int64_t bound) {
      return at::randint(bound, {kRows, kLength}, random, at::kLong);
    };
    batch[i].keywords["input_ids"] = draw(options.vocab_size).to(at::kInt);
    batch[i].target = at::where(draw(4) == 0, -100, draw(options.vocab_size));
    if (i == 1) batch[i].target.fill_(-100);
    labels += (batch[i].target >= 0).sum().item<int64_t>();
  }
  for (MicrobatchInput& microbatch : batch)
    microbatch.keywords["token_weight"] =
        at::scalar_tensor(1.0 / static_cast<double>(labels), at::kDouble);
  return batch;
}

/// Sets every parameter below `module` from its name.
inline void FillParameters(const torch::nn::Module& module) {
  for (const auto& item : module.named_parameters())
    models::FillNormal(item.value().detach(), item.key(), 7, 0, 0.4);
}

inline void Descend(const std::vector<at::Tensor>& parameters, double learning_rate) {
  const at::NoGradGuard no_grad;
  for (at::Tensor parameter : parameters) {
    if (parameter.grad().defined()) parameter.sub_(parameter.grad(), learning_rate);
    parameter.mutable_grad() = at::Tensor();
  }
}

/// The whole model, driven by plain autograd.
struct OneProcess {
  explicit OneProcess(const SmallModelOptions& options)
      : model(options), whole{.end_layer = options.num_layers, .is_first = true, .is_last = true} {
    meta::Materialise(model, at::kCPU);
    FillParameters(model);
    model.RebuildBuffers(at::kCPU);
  }

  /// Returns the losses; gradients add up in the parameters.
  std::vector<double> Step(const std::vector<MicrobatchInput>& batch, bool backward = true) {
    std::vector<double> losses;
    for (const MicrobatchInput& microbatch : batch) {
      const StageState output = model.ForwardStage(whole, {}, microbatch.keywords);
      const at::Tensor loss = model.Loss(output, microbatch.target, microbatch.keywords);
      if (backward) loss.backward();
      losses.push_back(loss.item<double>());
    }
    return losses;
  }

  SmallModel model;
  StageRange whole;
};

/// This rank's part.
struct SmallPipeline {
  SmallPipeline(comm::World& world, const PipelineOptions& options,
                const SmallModelOptions& model_options, int num_microbatches)
      : model(std::make_shared<SmallModel>(model_options)), pipeline(world, Sized(options)) {
    pipeline.build(model, nullptr, kRows * num_microbatches);
    meta::Materialise(pipeline, at::kCPU);
    for (const auto& part : pipeline.parts()) FillParameters(*part);
    pipeline.Prepare();
  }
  static PipelineOptions Sized(PipelineOptions options) {
    options.microbatch_size = kRows;
    return options;
  }

  /// This rank's parameters under the model's names; a shared one on each of its holders.
  std::map<std::string, at::Tensor> Parameters() const {
    std::map<std::string, at::Tensor> parameters;
    for (const auto& part : pipeline.parts())
      for (const auto& item : part->named_parameters()) parameters[item.key()] = item.value();
    return parameters;
  }
  void SumSharedGradients() {
    const auto parameters = Parameters();
    for (const SharedParameter& shared : pipeline.shared_parameters())
      if (parameters.contains(shared.fqn))
        pipeline.SumSharedGradient(shared.fqn, parameters.at(shared.fqn).grad());
  }
  void Descend(double learning_rate) {
    std::vector<at::Tensor> parameters;
    for (const auto& [name, parameter] : Parameters()) parameters.push_back(parameter);
    pipeline::Descend(parameters, learning_rate);
  }

  std::shared_ptr<SmallModel> model;
  AutoPipeline pipeline;
};

/// Expects the gradients of this rank, and on the last stage the losses, to be those of `expected`.
inline void ExpectEqualsOneProcess(const SmallPipeline& actual,
                                   const std::vector<at::Tensor>& losses,
                                   const OneProcess& expected,
                                   const std::vector<double>& expected_losses) {
  const auto whole = expected.model.named_parameters();
  for (const auto& [name, parameter] : actual.Parameters()) {
    EXPECT_TRUE(parameter.grad().defined()) << name;
    EXPECT_TRUE(test::NearTensors(parameter.grad(), whole[name].grad())) << name;
  }
  ASSERT_EQ(losses.size(), actual.pipeline.info().has_last_stage ? expected_losses.size() : 0U);
  for (std::size_t i = 0; i < losses.size(); ++i)
    EXPECT_NEAR(losses[i].item<double>(), expected_losses[i], 1e-6) << "microbatch " << i;
}

/// A schedule with the split that SmallModel's layers take on `num_ranks` ranks.
inline PipelineOptions OptionsOf(const std::string& schedule, int num_ranks, Transport transport,
                                 int64_t num_layers = 4) {
  PipelineOptions options{.schedule = schedule,
                          .p2p_overlap = transport != Transport::kBlocking,
                          .p2p_multi_stream = transport == Transport::kMultiStream};
  if (schedule != "interleaved1f1b") return options;
  // Two chunks of one layer a rank, and what is left in the last stage.
  options.split.assign(2, std::vector<int64_t>(static_cast<std::size_t>(num_ranks), 1));
  options.split.back().back() += num_layers - 2 * num_ranks;
  return options;
}

inline const std::vector<std::string> kScheduleNames = {"gpipe", "1f1b", "interleaved1f1b"};
inline const std::vector<Transport> kTransports = {Transport::kBlocking, Transport::kOverlapped,
                                                   Transport::kMultiStream};

inline std::string NameOf(Transport transport) {
  switch (transport) {
    case Transport::kBlocking:
      return "blocking";
    case Transport::kOverlapped:
      return "overlapped";
    case Transport::kMultiStream:
      return "multi-stream";
  }
  return "unknown";
}

}  // namespace hyperpp::pipeline

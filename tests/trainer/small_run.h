// A run of a small model inside of a test: planned, built and stepped as hyperpp train does it.
//
//     const trainer::RunInputs inputs = SmallRunInputs({"accelerator.tp_size=2"});
//     test::RunRanks(inputs.plan.mesh, [&](comm::World& world) {
//       SmallRun run(inputs, world);
//       run.Step(1);
//     });
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "hyperpp/trainer/data_options.h"
#include "hyperpp/trainer/initial_weights.h"
#include "hyperpp/trainer/train_step.h"
#include "tests/support/temporary_folder.h"

namespace hyperpp::trainer {

/// Hidden size 256, four layers, 2000 tokens, float32, AdamW; 8 sequences of 128 tokens.
/// `settings` change it, as --set does.
inline RunInputs SmallRunInputs(std::vector<std::string> settings) {
  const test::TemporaryFolder folder;
  const std::string path = folder.Write("run.yaml", R"(
model:
  init: random
  config:
    model_type: qwen3
    vocab_size: 2000
    hidden_size: 256
    intermediate_size: 768
    num_hidden_layers: 4
    num_attention_heads: 4
    num_key_value_heads: 2
    head_dim: 64
    tie_word_embeddings: false
training: {steps: 2, global_batch_size: 8, micro_batch_size: 2, sequence_length: 128}
optimizer: {type: adamw, lr: 1.0e-3}
precision: {compute_dtype: float32}
accelerator: {device: cpu, threads_per_rank: 1}
data: {type: synthetic}
output: {directory: unused}
)");
  return PrepareRun(path, settings, /*world_size=*/0);
}

/// Settings of a pipeline of two ranks and four microbatches.
inline std::vector<std::string> TwoStages(std::vector<std::string> settings = {}) {
  for (const char* setting :
       {"accelerator.pp_size=2", "pipeline.enabled=true", "pipeline.pp_microbatch_size=2"})
    settings.emplace_back(setting);
  return settings;
}

class SmallRun {
 public:
  /// Collective: all ranks of the plan. `inputs` outlive it.
  SmallRun(const RunInputs& inputs, comm::World& world)
      : device_(ChooseDevice(inputs.config, world.rank(), world.size())),
        model_(BuildStages(inputs, world, device_, /*trace=*/nullptr)) {
    MaterialiseModel(model_, &world, device_, /*with_gradients=*/true);
    LoadInitialWeights(model_, inputs);
    optimizer_ = optim::MakeOptimizer(inputs.config.optimizer, model_.store->TrainableWeights());
    step_ = std::make_unique<TrainStep>(model_, *optimizer_, world, inputs.config, nullptr);
    model_.pipeline->Prepare();
    stream_ = data::OpenTrainingData(inputs.config.data, DataOptions(inputs, world),
                                     inputs.config.training.global_batch_size);
    reader_ = std::make_unique<BatchReader>(*stream_, world, inputs.config,
                                            inputs.plan.batch.microbatch, device_.device);
  }

  StepResult Step(int64_t step) { return step_->Run({step, 1e-3, false}, reader_->Read(step)); }

 private:
  RunDevice device_;
  BuiltModel model_;
  std::unique_ptr<optim::Optimizer> optimizer_;
  std::unique_ptr<TrainStep> step_;
  std::unique_ptr<data::BatchStream> stream_;
  std::unique_ptr<BatchReader> reader_;
};

}  // namespace hyperpp::trainer

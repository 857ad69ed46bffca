// AutoPipeline: takes a complete model and a pipeline configuration, and trains it in stages
// exactly as one process would.
//
//     AutoPipeline pipeline(world, {.schedule = "1f1b", .device = at::kCPU});
//     pipeline.build(model, parallelize, batch_size);       // model: whole, on the meta device
//     meta::Materialise(pipeline, at::kCPU);                // only this rank's parts
//     ... load or initialise the parameters of pipeline.parts() ...
//     pipeline.Prepare();                                   // buffers; proves that nothing is
//     missing losses = pipeline.step(input_ids, target, {});        // forward and backward of one
//     batch pipeline.SumSharedGradients(...);                     // tied embeddings
//
// build() finds the decoder layers, assigns virtual stages (stage_split.h), keeps the local ones
// under their original names, lets `parallelize` work on each part while it is still on the meta
// device, and makes stages and schedule. No rank ever gives memory to parameters of another's
// stages. With one rank and one chunk the same code accumulates gradients over microbatches.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <torch/nn/module.h>

#include "hyperpp/comm/world.h"
#include "hyperpp/core/trace.h"
#include "hyperpp/pipeline/planner/stage_split.h"
#include "hyperpp/pipeline/runtime/pipeline_executor.h"
#include "hyperpp/pipeline/runtime/pipeline_model.h"

namespace hyperpp::pipeline {

/// The `pipeline` section of the configuration, as the runtime needs it.
struct PipelineOptions {
  std::string schedule = "1f1b";
  /// Rows of layer counts, one row per chunk, one entry per rank; empty: balanced.
  std::vector<std::vector<int64_t>> split = {};
  int64_t microbatch_size = 1;  // sequences
  bool p2p_overlap = true;
  bool p2p_multi_stream = false;
  at::Device device = at::kCPU;  // of the run; tensors of stage boundaries are received there
  Trace* trace = nullptr;
  /// Owner of sharded weights, if they are: the schedule then tells it when to gather and reduce.
  StageSharding* sharding = nullptr;
};

struct PipelineInfo {
  bool has_first_stage = false, has_last_stage = false;
  Schedule schedule;               // of a training step, with messages
  std::vector<StageRange> stages;  // this rank's, by chunk
};

/// A parameter that stages on different ranks hold: tied embeddings.
struct SharedParameter {
  std::string fqn;
  std::vector<int> ranks;  // pipeline coordinates of its holders by stage; the first is the owner
};

/// Called for each part of this rank, on the meta device: tensor, expert and context parallelism,
/// recomputation, sharding.
using ParallelizeFn = std::function<void(torch::nn::Module& part, const StageRange& stage)>;

class AutoPipeline : public torch::nn::Module {
 public:
  AutoPipeline(comm::World& world, PipelineOptions options);

  /// Splits `model`, which must be on the meta device and offer the hooks of PipelineModel, and
  /// makes the schedule for `batch_size` sequences. `parallelize` may be null. Collective: all
  /// ranks. Errors: PlanError for a model without hooks, a split that does not fit, a batch that
  /// does not
  ///         divide, a parameter outside all stages; InternalError if `model` is not on meta.
  void build(std::shared_ptr<torch::nn::Module> model, const ParallelizeFn& parallelize,
             int64_t batch_size);

  /// Rebuilds non-persistent buffers, then proves that no local tensor is on the meta device and
  /// that the aliases of all ranks are the model's names, each once. REQUIRES: parameters have
  /// their values. Collective: all ranks. Errors: InternalError naming the tensors.
  void Prepare();

  const PipelineInfo& info() const { return info_; }
  /// This rank's chunks: modules with the original names.
  const std::vector<std::shared_ptr<torch::nn::Module>>& parts() const { return parts_; }
  /// Name of each parameter of this module -> its name in the whole model:
  /// "parts.1.model.layers.6.mlp.up_proj.weight" -> "model.layers.6.mlp.up_proj.weight". A shared
  /// parameter appears on its owner alone.
  const std::map<std::string, std::string>& checkpoint_fqn_aliases() const { return aliases_; }
  /// Whether this rank holds a parameter at all, and whether it is the one of all pipeline ranks
  /// that counts and saves it.
  bool Holds(const std::string& fqn) const;
  bool Owns(const std::string& fqn) const { return OwnerOf(fqn) == rank_; }
  /// Pipeline coordinate of the rank that owns a parameter of the model.
  int OwnerOf(const std::string& fqn) const { return holders_.at(fqn).front(); }
  const std::vector<SharedParameter>& shared_parameters() const { return shared_; }

  /// Forward and backward of a batch that is cut along dim 0 into microbatches; tensors of no
  /// dimension are the same for all. `input_ids` becomes the keyword of that name and may be
  /// undefined where the model's own keywords say all. Gradients add up in the parameters. Returns
  /// the microbatches' losses on the rank with the last stage, nothing elsewhere.
  /// Collective: all ranks of the pipeline, with equal shapes.
  std::vector<at::Tensor> step(const at::Tensor& input_ids, const at::Tensor& target,
                               const Keywords& keywords);
  /// The same for microbatches that are cut already.
  std::vector<at::Tensor> Step(const std::vector<MicrobatchInput>& microbatches);
  /// Losses without gradients, for any number of microbatches. Collective: as step.
  std::vector<at::Tensor> Evaluate(const std::vector<MicrobatchInput>& microbatches);

  /// Adds up what the holders of the shared parameter `fqn` have in `gradient`, in the order of
  /// their stages, and leaves the sum with each, bit-equal; returns at once elsewhere.
  /// Collective: the holders, for their shared parameters in the same order.
  void SumSharedGradient(const std::string& fqn, const at::Tensor& gradient);

  /// Text in front of actions in messages: "step 12".
  void set_activity(std::string activity);

  PipelineExecutor& executor() { return *executor_; }

 private:
  void ChooseStages(int64_t num_layers);
  void MakeParts(const ParallelizeFn& parallelize);
  std::vector<std::string> ModulesOf(const StageRange& stage) const;
  void FindSharedParameters();
  void CheckThatAliasesAreTheModel();
  Schedule ForTransport(Schedule schedule) const;
  Transport TransportKind() const;

  comm::World& world_;
  const PipelineOptions options_;
  const int rank_, num_ranks_;  // pipeline coordinate and degree

  std::shared_ptr<torch::nn::Module> whole_;
  PipelineModel* model_ = nullptr;  // the hooks of whole_
  std::vector<StageRange> all_stages_;
  int num_chunks_ = 1;
  PipelineInfo info_;
  std::vector<std::shared_ptr<torch::nn::Module>> parts_;
  std::map<std::string, std::string> aliases_;
  /// Pipeline coordinates that hold each parameter of the model, by stage; the first owns it.
  std::map<std::string, std::vector<int>> holders_;
  std::vector<SharedParameter> shared_;
  std::unique_ptr<PipelineExecutor> executor_;
  Schedule training_;                   // as this transport runs it
  std::map<int, Schedule> evaluation_;  // by number of microbatches
};

}  // namespace hyperpp::pipeline

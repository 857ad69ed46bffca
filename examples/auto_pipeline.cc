// Your own model in a pipeline: plain libtorch code, cut at its layers by AutoPipeline.
//
//     build/dev/bin/auto_pipeline_example
//
//     step   one rank   two ranks
//        1   3.458244   3.458244
//
// The program starts two ranks of itself. Each builds the whole model on the meta device, where it
// has shapes but no memory, and keeps the layers of its stage; no rank ever holds the other's. The
// rank with the last stage also trains the same model alone, and compares: a pipeline changes where
// things are computed, and nothing of what is.
#include "hyperpp/pipeline/runtime/auto_pipeline.h"

#include <cmath>
#include <cstdio>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Parallel.h>
#include <torch/nn/module.h>

#include "hyperpp/comm/world.h"
#include "hyperpp/core/error.h"
#include "hyperpp/launch/environment.h"
#include "hyperpp/launch/failure_report.h"
#include "hyperpp/launch/launcher.h"
#include "hyperpp/meta/materialise.h"

namespace {

using hyperpp::pipeline::AutoPipeline;
using hyperpp::pipeline::Keywords;
using hyperpp::pipeline::PipelineModel;
using hyperpp::pipeline::StageRange;
using hyperpp::pipeline::StageState;
using hyperpp::pipeline::StateSpec;

constexpr int64_t kLetters = 32, kHidden = 24, kNumLayers = 5;
constexpr int64_t kBatch = 8, kMicrobatch = 2, kLength = 12;
constexpr int kNumRanks = 2, kSteps = 8;
constexpr double kLearningRate = 0.3;

// --- The model. Everything is built on the meta device; AutoPipeline decides what gets memory. ---

struct Matrix : torch::nn::Module {
  Matrix(int64_t rows, int64_t columns) {
    weight = register_parameter("weight", at::empty({rows, columns}, at::kMeta));
  }
  at::Tensor weight;
};

struct LayerList : torch::nn::Module {
  std::vector<std::shared_ptr<Matrix>> layers;
  explicit LayerList(int64_t count) {
    for (int64_t i = 0; i < count; ++i)
      layers.push_back(
          register_module(std::to_string(i), std::make_shared<Matrix>(kHidden, kHidden)));
  }
};

/// Guesses the next letter of a text from a running mean over the letters so far.
class LetterModel : public torch::nn::Module, public PipelineModel {
 public:
  LetterModel() {
    embed_ = register_module("embed", std::make_shared<Matrix>(kLetters, kHidden));
    layers_ = register_module("layers", std::make_shared<LayerList>(kNumLayers));
    head_ = register_module("head", std::make_shared<Matrix>(kLetters, kHidden));
  }

  // Which modules go where. A parameter that belongs to no stage is refused.
  std::vector<std::string> LayerNames() const override {
    std::vector<std::string> names;
    for (int64_t i = 0; i < kNumLayers; ++i) names.push_back("layers." + std::to_string(i));
    return names;
  }
  std::vector<std::string> FirstStageNames() const override { return {"embed"}; }
  std::vector<std::string> LastStageNames() const override { return {"head"}; }

  // What crosses a stage boundary. Both sides ask, so it follows from the keywords alone. A state
  // may have several tensors, of any dtype and shape; gradients come back for floating ones.
  StateSpec BoundaryState(int64_t /*layer*/, const Keywords& keywords) const override {
    const at::Tensor& ids = keywords.at("input_ids");
    return {{.name = "hidden", .shape = {ids.size(0), ids.size(1), kHidden}}};
  }

  // A range of layers. The first stage starts from the ids; later ones from what they received.
  StageState ForwardStage(const StageRange& stage, const StageState& input,
                          const Keywords& keywords) override {
    at::Tensor hidden =
        stage.is_first ? at::embedding(embed_->weight, keywords.at("input_ids")) : input["hidden"];
    const at::Tensor counts = at::arange(1, kLength + 1, at::kFloat).unsqueeze(1);
    for (int64_t i = stage.first_layer; i < stage.end_layer; ++i) {
      const at::Tensor mean = hidden.cumsum(1) / counts;
      hidden = hidden + at::tanh(at::matmul(hidden + mean, layers_->layers[i]->weight));
    }
    return {{"hidden", hidden}};
  }

  // A microbatch's part of the loss: the parts add up to the mean over the whole batch.
  at::Tensor Loss(const StageState& output, const at::Tensor& target,
                  const Keywords& /*keywords*/) override {
    const at::Tensor logits = at::matmul(output["hidden"], head_->weight.t());
    const at::Tensor sum =
        at::cross_entropy_loss(logits.reshape({-1, kLetters}), target.reshape({-1}),
                               /*weight=*/{}, at::Reduction::Sum);
    return sum / (kBatch * kLength);
  }

 private:
  std::shared_ptr<Matrix> embed_, head_;
  std::shared_ptr<LayerList> layers_;
};

// --- Training: the same code for any number of ranks. ---

/// Values that depend on the name alone, so that they are the same wherever a parameter lives.
void Initialise(const torch::nn::Module& part) {
  const at::NoGradGuard no_grad;
  for (const auto& item : part.named_parameters()) {
    auto random = at::make_generator<at::CPUGeneratorImpl>(std::hash<std::string>()(item.key()));
    at::Tensor(item.value()).normal_(0, 0.1, random);
  }
}

/// Ids of a text, cut into kBatch rows; one letter longer than the rows, for the targets.
at::Tensor Letters() {
  const std::string text =
      "to be or not to be that is the question whether tis nobler in the mind ";
  at::Tensor ids = at::empty({kBatch, kLength + 1}, at::kLong);
  for (int64_t i = 0; i < ids.numel(); ++i)
    ids.mutable_data_ptr<int64_t>()[i] = text[i % text.size()] % kLetters;
  return ids;
}

/// Trains on the ranks of `world`; returns the loss of each step on the rank with the last stage.
std::vector<double> Train(hyperpp::comm::World& world) {
  AutoPipeline pipeline(world, {.schedule = "1f1b", .microbatch_size = kMicrobatch});
  pipeline.build(std::make_shared<LetterModel>(), /*parallelize=*/nullptr, kBatch);
  hyperpp::meta::Materialise(pipeline, at::kCPU);
  for (const auto& part : pipeline.parts()) Initialise(*part);
  pipeline.Prepare();

  const at::Tensor letters = Letters();
  const at::Tensor input_ids = letters.narrow(1, 0, kLength),
                   target = letters.narrow(1, 1, kLength);
  std::vector<double> losses;
  for (int step = 0; step < kSteps; ++step) {
    double loss = 0;
    for (const at::Tensor& part : pipeline.step(input_ids, target, {})) loss += part.item<double>();
    if (pipeline.info().has_last_stage) losses.push_back(loss);
    const at::NoGradGuard no_grad;
    for (at::Tensor parameter : pipeline.parameters()) {
      parameter.sub_(parameter.grad(), kLearningRate);
      parameter.mutable_grad() = at::Tensor();
    }
  }
  return losses;
}

void CompareWithOneRank(const std::vector<double>& two_ranks) {
  const auto alone = hyperpp::comm::World::Join({}, hyperpp::MeshLayout(), {});
  const std::vector<double> one_rank = Train(*alone);
  std::printf("step   one rank   two ranks\n");
  for (int step = 0; step < kSteps; ++step) {
    std::printf("%4d   %.6f   %.6f\n", step + 1, one_rank[step], two_ranks[step]);
    HYPERPP_CHECK(std::abs(one_rank[step] - two_ranks[step]) < 1e-5 * one_rank[step],
                  "step {}: loss {} on two ranks, {} on one", step + 1, two_ranks[step],
                  one_rank[step]);
  }
  HYPERPP_CHECK(one_rank.back() < 0.9 * one_rank.front(), "the loss went from {} to {}",
                one_rank.front(), one_rank.back());
}

void RunRank(const hyperpp::comm::RankIdentity& identity) {
  at::set_num_threads(1);
  const hyperpp::MeshLayout layout({kNumRanks, 1, 1, 1, 1});  // pp 2, and nothing else
  const auto world = hyperpp::comm::World::Join(identity, layout, {});
  const std::vector<double> losses = Train(*world);
  if (!losses.empty()) CompareWithOneRank(losses);
}

}  // namespace

int main(int /*argc*/, char** argv) {
  std::optional<hyperpp::comm::RankIdentity> identity;
  try {
    identity = hyperpp::launch::IdentityFromEnvironment();
    if (!identity) return hyperpp::launch::LaunchLocalRanks({argv[0]}, kNumRanks);
    RunRank(*identity);
  } catch (const std::exception& error) {
    hyperpp::launch::LeaveProcess(hyperpp::launch::ReportFailure(error, identity));
  }
  return 0;
}

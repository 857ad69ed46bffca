// A model as a user writes it, with plain torch parameters, whose state has three tensors:
//
//     hidden   [S, B, H]  float, a transposed view
//     summary  [B, H]     float, mean over the sequence so far
//     route    [B, S]     int64, without gradient: which row of a layer's table a token takes
//
// Later layers read the ids again, so `input_ids` (int32) is a keyword that all stages use.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <ATen/ATen.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/nn/module.h>

#include "hyperpp/models/layer/graph_node.h"
#include "hyperpp/pipeline/runtime/pipeline_model.h"

namespace hyperpp::pipeline {

struct SmallModelOptions {
  int64_t num_layers = 4;
  bool tied = false;
  bool recompute = false;  // layers run again in the backward pass
  int64_t vocab_size = 11;
};

inline constexpr int64_t kHidden = 6, kRoutes = 4, kMaxLength = 8;

/// A parameter or buffer without memory.
inline at::Tensor OnMeta(at::IntArrayRef shape) {
  return at::empty(shape, at::TensorOptions().device(at::kMeta).dtype(at::kFloat));
}

class SmallTable : public torch::nn::Module {
 public:
  SmallTable(const std::string& name, at::IntArrayRef shape, bool is_parameter = true) {
    value = is_parameter ? register_parameter(name, OnMeta(shape))
                         : register_buffer(name, OnMeta(shape));
  }
  at::Tensor value;
};

struct SmallState {
  at::Tensor hidden_SBH, summary_BH, route_BS;
};

class SmallLayer : public torch::nn::Module {
 public:
  explicit SmallLayer(int64_t index) : index_(index) {
    weight_ = register_parameter("weight", OnMeta({kHidden, kHidden}));
    rows_ = register_parameter("rows", OnMeta({kRoutes, kHidden}));
  }

  SmallState forward(const SmallState& state, const at::Tensor& ids_BS,
                     const at::Tensor& positions_PH) {
    const at::Tensor hidden_BSH = state.hidden_SBH.transpose(0, 1);
    const at::Tensor chosen_BSH =
        rows_.index_select(0, state.route_BS.reshape({-1})).view(hidden_BSH.sizes());
    const at::Tensor sum_BSH = at::matmul(hidden_BSH, weight_) + state.summary_BH.unsqueeze(1) +
                               chosen_BSH + positions_PH.narrow(0, 0, ids_BS.size(1));
    const at::Tensor next_BSH = hidden_BSH + at::tanh(sum_BSH);
    return {next_BSH.transpose(0, 1), state.summary_BH + next_BSH.mean(1),
            (state.route_BS * 3 + ids_BS.to(at::kLong) + index_).remainder(kRoutes)};
  }

 private:
  const int64_t index_;
  at::Tensor weight_, rows_;
};

class SmallModel : public torch::nn::Module, public PipelineModel {
 public:
  explicit SmallModel(const SmallModelOptions& options = {}) : options_(options) {
    embed_ = register_module("embed", std::make_shared<SmallTable>(
                                          "weight", at::IntArrayRef{options.vocab_size, kHidden}));
    auto list = register_module("layers", std::make_shared<List>());
    for (int64_t i = 0; i < options.num_layers; ++i)
      layers_.push_back(list->Add(std::to_string(i), std::make_shared<SmallLayer>(i)));
    norm_ = register_module("norm", std::make_shared<SmallTable>("gain", at::IntArrayRef{kHidden}));
    if (!options.tied)
      head_ = register_module("head", std::make_shared<SmallTable>(
                                          "weight", at::IntArrayRef{options.vocab_size, kHidden}));
    positions_ = register_module(
        "positions", std::make_shared<SmallTable>("table", at::IntArrayRef{kMaxLength, kHidden},
                                                  /*is_parameter=*/false));
  }

  std::vector<std::string> LayerNames() const override {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < layers_.size(); ++i) names.push_back("layers." + std::to_string(i));
    return names;
  }
  std::vector<std::string> FirstStageNames() const override { return {"embed"}; }
  std::vector<std::string> LastStageNames() const override {
    return {"norm", options_.tied ? "embed" : "head"};
  }
  std::vector<std::string> EveryStageNames() const override { return {"positions"}; }

  static at::Tensor Positions() {
    return at::sin(at::arange(kMaxLength * kHidden, at::kFloat)).view({kMaxLength, kHidden});
  }
  void RebuildBuffers(at::Device device) override {
    positions_->value.copy_(Positions().to(device));
  }

  StateSpec BoundaryState(int64_t /*layer*/, const Keywords& keywords) const override {
    const int64_t batch = keywords.at("input_ids").size(0),
                  length = keywords.at("input_ids").size(1);
    return {
        {.name = "hidden", .shape = {length, batch, kHidden}},
        {.name = "summary", .shape = {batch, kHidden}},
        {.name = "route", .shape = {batch, length}, .dtype = at::kLong, .differentiable = false},
    };
  }

  StageState ForwardStage(const StageRange& stage, const StageState& input,
                          const Keywords& keywords) override {
    if (on_forward) on_forward(stage);
    const at::Tensor& ids_BS = keywords.at("input_ids");
    SmallState state;
    if (stage.is_first) {
      const at::Tensor rows = embed_->value.index_select(0, ids_BS.reshape({-1}));
      state = {rows.view({ids_BS.size(0), ids_BS.size(1), kHidden}).transpose(0, 1),
               at::zeros({ids_BS.size(0), kHidden}), ids_BS.to(at::kLong).remainder(kRoutes)};
    } else {
      state = {input["hidden"], input["summary"], input["route"]};
    }
    for (int64_t i = stage.first_layer; i < stage.end_layer; ++i)
      state = options_.recompute ? RunAgainLater(i, state, ids_BS) : Run(i, state, ids_BS);
    return {{"hidden", state.hidden_SBH}, {"summary", state.summary_BH}, {"route", state.route_BS}};
  }

  /// `token_weight` is the weight of each token's loss.
  at::Tensor Loss(const StageState& output, const at::Tensor& target,
                  const Keywords& keywords) override {
    const at::Tensor normed =
        output["hidden"].transpose(0, 1) * norm_->value + output["summary"].unsqueeze(1);
    const at::Tensor logits = at::matmul(normed, (head_ ? head_ : embed_)->value.t());
    const at::Tensor loss =
        at::cross_entropy_loss(logits.reshape({-1, options_.vocab_size}), target.reshape({-1}), {},
                               at::Reduction::Sum, /*ignore_index=*/-100);
    return loss * keywords.at("token_weight").item<double>();
  }

  /// Called in front of each forward pass of a stage.
  std::function<void(const StageRange&)> on_forward;

 private:
  class List : public torch::nn::Module {
   public:
    std::shared_ptr<SmallLayer> Add(const std::string& name, std::shared_ptr<SmallLayer> layer) {
      return register_module(name, std::move(layer));
    }
  };

  SmallState Run(int64_t layer, const SmallState& state, const at::Tensor& ids_BS) {
    return layers_[layer]->forward(state, ids_BS, positions_->value);
  }

  // Keeps only the input of the layer, and runs it a second time in the backward pass.
  SmallState RunAgainLater(int64_t layer, const SmallState& state, const at::Tensor& ids_BS) {
    SmallState output;
    {
      const at::NoGradGuard no_grad;
      output = Run(layer, state, ids_BS);
    }
    const auto backward = [this, layer, ids_BS, hidden = state.hidden_SBH.detach(),
                           summary = state.summary_BH.detach(),
                           route = state.route_BS](const std::vector<at::Tensor>& gradients) {
      const at::AutoGradMode with_gradients(true);
      const at::Tensor hidden_leaf = hidden.detach().requires_grad_(),
                       summary_leaf = summary.detach().requires_grad_();
      const SmallState again = Run(layer, {hidden_leaf, summary_leaf, route}, ids_BS);
      std::vector<at::Tensor> roots, root_gradients;
      for (std::size_t i = 0; i < 2; ++i) {
        if (!gradients[i].defined()) continue;
        roots.push_back(i == 0 ? again.hidden_SBH : again.summary_BH);
        root_gradients.push_back(gradients[i]);
      }
      torch::autograd::backward(roots, root_gradients);
      return std::vector<at::Tensor>{hidden_leaf.grad(), summary_leaf.grad()};
    };
    const auto outputs =
        models::AppendNode("RunAgain", {state.hidden_SBH, state.summary_BH},
                           {output.hidden_SBH.contiguous(), output.summary_BH}, backward);
    return {outputs[0], outputs[1], output.route_BS};
  }

  const SmallModelOptions options_;
  std::shared_ptr<SmallTable> embed_, norm_, head_, positions_;
  std::vector<std::shared_ptr<SmallLayer>> layers_;
};

}  // namespace hyperpp::pipeline

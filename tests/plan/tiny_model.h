// Outlines and facts of small models, and plans with them, for tests.
#pragma once

#include <string>
#include <vector>

#include "hyperpp/config/load.h"
#include "hyperpp/core/error.h"
#include "hyperpp/plan/make_plan.h"

namespace hyperpp::plan {

struct TinyModel {
  ModelFacts facts;
  ModelOutline outline;
};

/// Four layers, width 32, four heads of 16, two key-value heads, 80 wide, 96 tokens, tied head.
/// Parameters: 3072 embedding, 14432 + 64 in each layer, 32 final norm.
inline TinyModel DenseModel(int64_t num_layers = 4, bool tied = true) {
  TinyModel model;
  model.facts = {.family = "qwen3",
                 .num_layers = num_layers,
                 .num_heads = 4,
                 .num_key_value_heads = 2,
                 .head_dim = 16,
                 .hidden_size = 32,
                 .intermediate_size = 80,
                 .vocab_size = 96,
                 .max_position_embeddings = 512};
  auto& parameters = model.outline.parameters;
  parameters.push_back({"model.embed_tokens.weight", {96, 32}, -1});
  for (int64_t layer = 0; layer < num_layers; ++layer) {
    const std::string prefix = "model.layers." + std::to_string(layer) + ".";
    parameters.push_back({prefix + "input_layernorm.weight", {32}, layer});
    parameters.push_back({prefix + "self_attn.q_proj.weight", {64, 32}, layer});
    parameters.push_back({prefix + "self_attn.k_proj.weight", {32, 32}, layer});
    parameters.push_back({prefix + "self_attn.v_proj.weight", {32, 32}, layer});
    parameters.push_back({prefix + "self_attn.o_proj.weight", {32, 64}, layer});
    parameters.push_back({prefix + "post_attention_layernorm.weight", {32}, layer});
    parameters.push_back({prefix + "mlp.gate_proj.weight", {80, 32}, layer});
    parameters.push_back({prefix + "mlp.up_proj.weight", {80, 32}, layer});
    parameters.push_back({prefix + "mlp.down_proj.weight", {32, 80}, layer});
  }
  parameters.push_back({"model.norm.weight", {32}, -1});
  if (tied) {
    model.outline.tied = {{"lm_head.weight", "model.embed_tokens.weight"}};
  } else {
    parameters.push_back({"lm_head.weight", {96, 32}, -1});
  }
  model.outline.num_layers = num_layers;
  return model;
}

inline constexpr int64_t kLayerMatrix = 2 * 64 * 32 + 2 * 32 * 32 + 3 * 80 * 32;
inline constexpr int64_t kLayerParameters = kLayerMatrix + 2 * 32;
inline constexpr int64_t kEmbedding = 96 * 32;

/// The dense model whose feed-forward parts are eight experts, two of them per token.
inline TinyModel ExpertModel() {
  TinyModel model = DenseModel();
  model.facts.family = "qwen3_moe";
  model.facts.num_experts = 8;
  model.facts.num_experts_per_token = 2;
  model.facts.moe_intermediate_size = 24;
  for (ParameterOutline& parameter : model.outline.parameters) {
    const auto mlp = parameter.fqn.find("mlp.");
    if (mlp != std::string::npos) {
      parameter.fqn.insert(mlp + 4, "experts.");
      parameter.shape = {8, 24, 32};
    }
  }
  return model;
}

inline config::Config TinyConfig(const std::vector<std::string>& settings) {
  return config::ParseConfig(
      "model: {path: m}\n"
      "training: {steps: 2, global_batch_size: 8, sequence_length: 32}\n"
      "optimizer: {lr: 0.1}\n"
      "data: {type: synthetic}\n"
      "output: {directory: out}\n",
      "run.yaml", settings);
}

/// The plan of `model`, also of what cannot be run.
inline TrainPlan PlanOf(const std::vector<std::string>& settings, int world_size,
                        const TinyModel& model = DenseModel()) {
  return MakePlan(TinyConfig(settings), model.outline, model.facts, world_size,
                  Purpose::kInspection);
}

/// The message with which the plan is refused; empty if it is not.
inline std::string RefusalOf(const std::vector<std::string>& settings, int world_size,
                             const TinyModel& model = DenseModel(),
                             Purpose purpose = Purpose::kInspection) {
  try {
    MakePlan(TinyConfig(settings), model.outline, model.facts, world_size, purpose);
  } catch (const PlanError& error) {
    return error.what();
  }
  return "";
}

/// Settings of a pipeline over `num_ranks` ranks.
inline std::vector<std::string> Pipelined(int num_ranks, std::vector<std::string> settings = {}) {
  settings.push_back("accelerator.pp_size=" + std::to_string(num_ranks));
  settings.push_back("pipeline.enabled=true");
  return settings;
}

}  // namespace hyperpp::plan

#include "hyperpp/trainer/run_inputs.h"

#include <algorithm>
#include <limits>

#include "hyperpp/checkpoint/hf_weights.h"
#include "hyperpp/config/load.h"
#include "hyperpp/core/error.h"
#include "hyperpp/plan/mesh.h"
#include "hyperpp/trainer/device.h"

namespace hyperpp::trainer {
namespace {

models::DecoderSpec LoadSpec(const config::ModelSection& model) {
  if (!model.path.empty()) return models::LoadDecoderSpec(model.path, model.overrides);
  return models::ParseDecoderSpec(model.inline_config, "model.config");
}

plan::ModelFacts FactsOf(const models::DecoderSpec& spec) {
  plan::ModelFacts facts;
  facts.family = spec.family;
  facts.num_layers = spec.num_layers;
  facts.num_heads = spec.num_heads;
  facts.num_key_value_heads = spec.num_key_value_heads;
  facts.head_dim = spec.head_dim;
  facts.qk_norm = spec.qk_norm;
  facts.hidden_size = spec.hidden_size;
  facts.intermediate_size = spec.intermediate_size;
  facts.vocab_size = spec.vocab_size;
  // Dynamic scaling is made for sequences beyond the length that the model was trained on.
  facts.max_position_embeddings = spec.rope.type == models::RopeSpec::Type::kDynamic
                                      ? std::numeric_limits<int64_t>::max()
                                      : spec.max_position_embeddings;
  facts.layer_windows = spec.layer_windows;
  return facts;
}

bool IsPretrained(const config::ModelSection& model) {
  const bool present = !model.path.empty() && checkpoint::HfWeights::Present(model.path);
  if (model.init == config::ModelInit::kPretrained && !present)
    throw InputError(
        fmt::format("model.init: pretrained, but {} holds no model.safetensors or "
                    "model.safetensors.index.json; name a "
                    "folder with weights, or use init: random",
                    model.path.empty() ? "an inline model.config" : model.path));
  return present && model.init != config::ModelInit::kRandom;
}

}  // namespace

RunInputs PrepareRun(const std::string& config_path, const std::vector<std::string>& overrides,
                     int world_size, plan::Purpose purpose) {
  RunInputs inputs;
  inputs.config = config::LoadConfig(config_path, overrides);
  inputs.spec = LoadSpec(inputs.config.model);
  if (world_size == 0) {
    const int64_t rest = std::max(1, NumVisibleGpus());
    world_size = static_cast<int>(plan::WorldSizeOf(inputs.config).value_or(rest));
  }
  inputs.plan = plan::MakePlan(inputs.config, inputs.spec.Outline(), FactsOf(inputs.spec),
                               world_size, purpose);
  inputs.pretrained = IsPretrained(inputs.config.model);
  return inputs;
}

}  // namespace hyperpp::trainer

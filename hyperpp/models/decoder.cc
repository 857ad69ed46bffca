#include "hyperpp/models/decoder.h"

#include <cmath>
#include <string>
#include <utility>

#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>

#include "hyperpp/core/error.h"
#include "hyperpp/kernels/linear.h"
#include "hyperpp/models/layer/graph_node.h"
#include "hyperpp/models/spec/rotary_table.h"

namespace hyperpp::models {
namespace {

// A module without weights or computation of its own: one level of names.
class NameLevel : public Layer {
 public:
  template <typename Module>
  std::shared_ptr<Module> Add(const std::string& name, std::shared_ptr<Module> module) {
    return register_module(name, std::move(module));
  }
};

// Runs `call` inside all `wrappers`, which outlive whatever they keep of it.
at::Tensor RunWrapped(const std::vector<LayerWrapper>& wrappers, LayerCall call,
                      const at::Tensor& input) {
  for (const LayerWrapper& wrapper : wrappers)
    call = [&wrapper, inner = std::move(call)](const at::Tensor& inner_input) {
      return wrapper(inner, inner_input);
    };
  return call(input);
}

}  // namespace

Decoder::Decoder(const DecoderSpec& spec) : spec_(spec) {
  auto body = register_module("model", std::make_shared<NameLevel>());
  embed_tokens_ =
      body->Add("embed_tokens",
                std::make_shared<Embedding>(spec.vocab_size, spec.hidden_size, spec.pad_token_id));
  auto layers = body->Add("layers", std::make_shared<NameLevel>());
  for (int64_t i = 0; i < spec.num_layers; ++i)
    layers_.push_back(layers->Add(std::to_string(i), std::make_shared<DecoderLayer>(spec, i)));
  wrappers_.resize(layers_.size());
  norm_ = body->Add("norm", std::make_shared<RmsNorm>(spec.hidden_size, spec.rms_norm_eps));
  if (spec.tie_word_embeddings) {
    head_weight_ = &embed_tokens_->weight();
    head_weight_->set_num_uses(2);
  } else {
    lm_head_ = register_module(
        "lm_head", std::make_shared<Linear>(spec.hidden_size, spec.vocab_size, /*bias=*/false));
    head_weight_ = lm_head_->own_weights().front().get();
  }
}

at::Tensor Decoder::Embed(const at::Tensor& ids_T) { return embed_tokens_->forward(ids_T); }

at::Tensor Decoder::RunLayers(at::Tensor hidden_TH, const ForwardContext& context) {
  return RunLayers(0, num_layers(), std::move(hidden_TH), context);
}

at::Tensor Decoder::RunLayers(int64_t first, int64_t end, at::Tensor hidden_TH,
                              const ForwardContext& context) {
  // Wrapped calls may be kept for the backward pass, and the context with them.
  std::shared_ptr<const ForwardContext> kept;
  for (int64_t i = first; i < end; ++i) {
    if (wrappers_[i].empty()) {
      hidden_TH = layers_[i]->forward(hidden_TH, context);
      continue;
    }
    if (!kept) kept = std::make_shared<const ForwardContext>(context);
    const auto call = [layer = layers_[i].get(), kept](const at::Tensor& input_TH) {
      return layer->forward(input_TH, *kept);
    };
    hidden_TH = RunWrapped(wrappers_[i], call, hidden_TH);
  }
  return hidden_TH;
}

void Decoder::set_tensor_region(std::shared_ptr<TensorRegion> region) {
  region_ = std::move(region);
  embed_tokens_->set_tensor_region(region_);
  for (const auto& layer : layers_) layer->set_tensor_region(region_);
}

void Decoder::WrapLayer(int64_t index, LayerWrapper wrapper) {
  wrappers_.at(static_cast<std::size_t>(index)).push_back(std::move(wrapper));
}

at::Tensor Decoder::Normalise(const at::Tensor& hidden_TH) {
  return norm_->forward(hidden_TH).normed_TH.value;
}

kernels::HeadLossResult Decoder::HeadLoss(const at::Tensor& normed_TH, const at::Tensor& labels_T,
                                          double token_weight, bool with_gradient) {
  const bool trains = with_gradient && head_weight_->trainable();
  kernels::HeadLossOptions options{.with_gradient = with_gradient,
                                   .part = VocabularyPartOf(*head_weight_)};
  if (region_)
    options.gather_parts = [this](const at::Tensor& part) { return region_->GatherParts(part); };
  kernels::HeadLossResult result =
      kernels::HeadCrossEntropy(normed_TH.detach(), head_weight_->compute(), labels_T, token_weight,
                                trains ? head_weight_->gradient() : at::Tensor(), options);
  if (trains) head_weight_->GradientAdded();
  return result;
}

at::Tensor Decoder::Logits(const at::Tensor& normed_TH) {
  return kernels::LinearForward(normed_TH.detach(), head_weight_->compute(), {}).to(at::kFloat);
}

std::vector<std::string> Decoder::LayerNames() const {
  std::vector<std::string> names;
  for (int64_t i = 0; i < num_layers(); ++i) names.push_back(fmt::format("model.layers.{}", i));
  return names;
}

std::vector<std::string> Decoder::FirstStageNames() const { return {"model.embed_tokens"}; }

std::vector<std::string> Decoder::LastStageNames() const {
  return {"model.norm", lm_head_ ? "lm_head" : "model.embed_tokens"};
}

void Decoder::StagesChosen(const std::vector<pipeline::StageRange>& stages) {
  if (lm_head_) return;
  int uses = 0;
  for (const pipeline::StageRange& stage : stages) uses += stage.is_first + stage.is_last;
  head_weight_->set_num_uses(uses);
}

void Decoder::RebuildBuffers(at::Device device) {
  tables_ = MakeRotaryTables(spec_, run_.sequence_length, run_.sequence_length, device);
}

pipeline::StateSpec Decoder::BoundaryState(int64_t /*layer*/,
                                           const pipeline::Keywords& keywords) const {
  const int64_t tokens = keywords.at("positions").numel();
  const int64_t rows = region_ ? region_->NumHiddenRows(tokens) : tokens;
  return {
      {.name = "hidden_states", .shape = {rows, spec_.hidden_size}, .dtype = run_.compute_dtype}};
}

ForwardContext Decoder::ContextOf(const pipeline::Keywords& keywords) const {
  const at::Tensor& positions_BS = keywords.at("positions");
  ForwardContext context;
  context.batch = positions_BS.size(0);
  context.sequence = positions_BS.size(1);
  context.rotary = tables_;
  context.rotary.positions_T = positions_BS.reshape({-1});
  const at::Tensor& starts_BL = keywords.at("document_starts");
  const auto held = keywords.find("token_indices");
  context.spans =
      held == keywords.end()
          ? std::make_shared<AttentionSpans>(starts_BL, positions_BS.device())
          : std::make_shared<AttentionSpans>(starts_BL, held->second, positions_BS.device());
  if (at::GradMode::is_enabled() && spec_.attention_dropout > 0)
    context.dropout = DropoutContext{run_.dropout_seed,
                                     static_cast<uint64_t>(keywords.at("step").item<int64_t>()),
                                     keywords.at("sample_ids")};
  return context;
}

pipeline::StageState Decoder::ForwardStage(const pipeline::StageRange& stage,
                                           const pipeline::StageState& input,
                                           const pipeline::Keywords& keywords) {
  at::Tensor hidden_TH;
  if (stage.is_first)
    hidden_TH = RunWrapped(
        embedding_wrappers_, [this](const at::Tensor& ids_T) { return Embed(ids_T); },
        keywords.at("input_ids").reshape({-1}));
  else
    hidden_TH = input["hidden_states"];
  return {{"hidden_states",
           RunLayers(stage.first_layer, stage.end_layer, hidden_TH, ContextOf(keywords))}};
}

at::Tensor Decoder::Loss(const pipeline::StageState& output, const at::Tensor& target,
                         const pipeline::Keywords& keywords) {
  const double token_weight = keywords.at("token_weight").item<double>();
  const auto call = [this, labels_T = target.reshape({-1}),
                     token_weight](const at::Tensor& hidden) {
    return HeadLossNode(hidden, labels_T, token_weight);
  };
  return RunWrapped(head_wrappers_, call, output["hidden_states"]);
}

at::Tensor Decoder::HeadLossNode(const at::Tensor& hidden_RH, const at::Tensor& labels_T,
                                 double token_weight) {
  const at::Tensor normed_RH = Normalise(hidden_RH);
  const at::Tensor normed_TH =
      region_ ? region_->Enter(Activation(normed_RH), /*num_readers=*/1).value : normed_RH;
  const kernels::HeadLossResult head =
      HeadLoss(normed_TH, labels_T, token_weight, at::GradMode::is_enabled());
  const at::Tensor loss = head.loss_sum * token_weight;
  return AppendNode(
      "HeadLoss", {normed_TH}, {loss}, [gradient = head.grad_x_TH](const auto& of_loss) {
        // On a GPU the look itself would wait.
        HYPERPP_CHECK(!of_loss[0].is_cpu() || of_loss[0].template item<double>() == 1,
                      "the loss is differentiated with another factor than token_weight");
        return std::vector<at::Tensor>{gradient};
      })[0];
}

kernels::RotaryTables MakeRotaryTables(const DecoderSpec& spec, int64_t num_positions,
                                       int64_t sequence_length, at::Device device) {
  const RotaryFrequencies frequencies = ComputeRotaryFrequencies(spec, sequence_length);
  const auto half = static_cast<int64_t>(frequencies.inv_freq.size());
  at::Tensor cos = at::empty({num_positions, half}, at::kFloat);
  at::Tensor sin = at::empty({num_positions, half}, at::kFloat);
  auto* c = cos.mutable_data_ptr<float>();
  auto* s = sin.mutable_data_ptr<float>();
  // The product is rounded to fp32 before the cosine, as in transformers.
  for (int64_t p = 0; p < num_positions; ++p) {
    for (int64_t i = 0; i < half; ++i) {
      const float angle = static_cast<float>(p) * static_cast<float>(frequencies.inv_freq[i]);
      const auto scaling = static_cast<float>(frequencies.attention_scaling);
      c[p * half + i] = std::cos(angle) * scaling;
      s[p * half + i] = std::sin(angle) * scaling;
    }
  }
  return {cos.to(device), sin.to(device), {}};
}

}  // namespace hyperpp::models

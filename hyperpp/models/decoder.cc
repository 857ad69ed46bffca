#include "hyperpp/models/decoder.h"

#include <cmath>
#include <string>

#include <ATen/ops/empty.h>

#include "hyperpp/kernels/linear.h"
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

}  // namespace

Decoder::Decoder(const DecoderSpec& spec) : spec_(spec) {
  auto body = register_module("model", std::make_shared<NameLevel>());
  embed_tokens_ =
      body->Add("embed_tokens",
                std::make_shared<Embedding>(spec.vocab_size, spec.hidden_size, spec.pad_token_id));
  auto layers = body->Add("layers", std::make_shared<NameLevel>());
  for (int64_t i = 0; i < spec.num_layers; ++i)
    layers_.push_back(layers->Add(std::to_string(i), std::make_shared<DecoderLayer>(spec, i)));
  norm_ = body->Add("norm", std::make_shared<RmsNorm>(spec.hidden_size, spec.rms_norm_eps));
  if (spec.tie_word_embeddings) {
    head_weight_ = &embed_tokens_->weight();
    head_weight_->AddUse();
  } else {
    lm_head_ = register_module(
        "lm_head", std::make_shared<Linear>(spec.hidden_size, spec.vocab_size, /*bias=*/false));
    head_weight_ = lm_head_->own_weights().front().get();
  }
}

at::Tensor Decoder::Embed(const at::Tensor& ids_T) { return embed_tokens_->forward(ids_T); }

at::Tensor Decoder::RunLayers(at::Tensor hidden_TH, const ForwardContext& context) {
  for (const auto& layer : layers_) hidden_TH = layer->forward(hidden_TH, context);
  return hidden_TH;
}

at::Tensor Decoder::Normalise(const at::Tensor& hidden_TH) {
  return norm_->forward(hidden_TH).normed_TH;
}

kernels::HeadLossResult Decoder::HeadLoss(const at::Tensor& normed_TH, const at::Tensor& labels_T,
                                          double token_weight, bool with_gradient) {
  const bool trains = with_gradient && head_weight_->trainable();
  kernels::HeadLossResult result = kernels::HeadCrossEntropy(
      normed_TH.detach(), head_weight_->compute(), labels_T, token_weight,
      trains ? head_weight_->gradient() : at::Tensor(), {.with_gradient = with_gradient});
  if (trains) head_weight_->GradientAdded();
  return result;
}

at::Tensor Decoder::Logits(const at::Tensor& normed_TH) {
  return kernels::LinearForward(normed_TH.detach(), head_weight_->compute(), {}).to(at::kFloat);
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

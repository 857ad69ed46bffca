#include "hyperpp/models/layer/decoder_layer.h"

namespace hyperpp::models {

DecoderLayer::DecoderLayer(const DecoderSpec& spec, int64_t layer_index) {
  const auto norm = [&] { return std::make_shared<RmsNorm>(spec.hidden_size, spec.rms_norm_eps); };
  self_attn_ = register_module("self_attn", std::make_shared<Attention>(spec, layer_index));
  mlp_ = register_module(
      "mlp", std::make_shared<SwigluMlp>(spec.hidden_size, spec.intermediate_size, spec.mlp_bias));
  input_layernorm_ = register_module("input_layernorm", norm());
  post_attention_layernorm_ = register_module("post_attention_layernorm", norm());
}

void DecoderLayer::set_tensor_region(const std::shared_ptr<TensorRegion>& region) {
  self_attn_->set_tensor_region(region);
  mlp_->set_tensor_region(region);
}

at::Tensor DecoderLayer::forward(const at::Tensor& hidden_TH, const ForwardContext& context) {
  const auto [attention_in, residual] =
      input_layernorm_->forward(hidden_TH, {}, remake_cheap_ ? self_attn_->NumTakes() : 0);
  const at::Tensor attended = self_attn_->forward(attention_in, context);
  const auto [mlp_in, sum] =
      post_attention_layernorm_->forward(attended, residual, remake_cheap_ ? mlp_->NumTakes() : 0);
  return mlp_->forward(mlp_in, remake_cheap_) + sum;
}

}  // namespace hyperpp::models

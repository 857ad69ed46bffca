// One decoder layer with norms before each block:
//
//     h -> input_layernorm -> self_attn -> (+ h) -> post_attention_layernorm -> mlp -> (+) -> h
#pragma once

#include "hyperpp/models/layer/attention.h"
#include "hyperpp/models/layer/rms_norm.h"
#include "hyperpp/models/layer/swiglu_mlp.h"

namespace hyperpp::models {

class DecoderLayer : public Layer {
 public:
  DecoderLayer(const DecoderSpec& spec, int64_t layer_index);

  /// Shapes: hidden_TH [B * S, H]; result the same.
  at::Tensor forward(const at::Tensor& hidden_TH, const ForwardContext& context);

 private:
  std::shared_ptr<Attention> self_attn_;
  std::shared_ptr<SwigluMlp> mlp_;
  std::shared_ptr<RmsNorm> input_layernorm_, post_attention_layernorm_;
};

}  // namespace hyperpp::models

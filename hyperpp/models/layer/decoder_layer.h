// One decoder layer with norms before each block:
//
//     h -> input_layernorm -> self_attn -> (+ h) -> post_attention_layernorm -> mlp -> (+) -> h
#pragma once

#include <functional>

#include "hyperpp/models/layer/attention.h"
#include "hyperpp/models/layer/rms_norm.h"
#include "hyperpp/models/layer/swiglu_mlp.h"

namespace hyperpp::models {

/// A forward pass of a layer: hidden states [B * S, H] -> the same shape. Owns what it needs, so
/// that a backward pass may call it again.
using LayerCall = std::function<at::Tensor(const at::Tensor& hidden_TH)>;

/// What parallel dimensions put around a layer: takes the call and its input, and returns its
/// output.
using LayerWrapper = std::function<at::Tensor(const LayerCall& call, const at::Tensor& hidden_TH)>;

class DecoderLayer : public Layer {
 public:
  DecoderLayer(const DecoderSpec& spec, int64_t layer_index);

  /// Shapes: hidden_TH [B * S, H], or of the rows that a tensor region says; result the same.
  at::Tensor forward(const at::Tensor& hidden_TH, const ForwardContext& context);

  /// What splits both blocks over ranks; null: nothing.
  void set_tensor_region(const std::shared_ptr<TensorRegion>& region);

  /// Selective recomputation: the layer's backward makes norm outputs and the gated product again
  /// instead of keeping them (activation.h).
  void set_remake_cheap(bool remake) { remake_cheap_ = remake; }

  void set_attention_core(std::shared_ptr<const AttentionCore> core) {
    self_attn_->set_core(std::move(core));
  }

 private:
  bool remake_cheap_ = false;
  std::shared_ptr<Attention> self_attn_;
  std::shared_ptr<SwigluMlp> mlp_;
  std::shared_ptr<RmsNorm> input_layernorm_, post_attention_layernorm_;
};

}  // namespace hyperpp::models

// Multi-head attention with grouped key/value heads, rotary positions and, where the model has it,
// a norm of every query and key head.
//
//     x -> q_proj -> heads -> [q_norm] -> rotary --.
//     x -> k_proj -> heads -> [k_norm] -> rotary ---- attention -> o_proj -> out
//     x -> v_proj -> heads -------------------------'
#pragma once

#include "hyperpp/models/layer/forward_context.h"
#include "hyperpp/models/layer/linear.h"
#include "hyperpp/models/spec/decoder_spec.h"

namespace hyperpp::models {

/// Gain of a per-head norm that is applied inside the rotary kernel.
class HeadNormGain : public Layer {
 public:
  explicit HeadNormGain(int64_t head_dim);
  Weight& weight() { return *weight_; }

 private:
  Weight* weight_;
};

class Attention : public Layer {
 public:
  Attention(const DecoderSpec& spec, int64_t layer_index);

  /// Number of linear layers that read the input.
  static constexpr int kNumReaders = 3;

  /// Shapes: x_TH [B * S, hidden]; result [B * S, hidden].
  at::Tensor forward(const Activation& x_TH, const ForwardContext& context);

 private:
  at::Tensor Rotate(const at::Tensor& x_TND, HeadNormGain* norm,
                    const ForwardContext& context) const;
  at::Tensor Attend(const at::Tensor& q_TND, const at::Tensor& k_TMD, const at::Tensor& v_TMD,
                    const ForwardContext& context) const;

  int64_t layer_index_, num_heads_, num_key_value_heads_, head_dim_, window_;
  double norm_eps_, dropout_;
  std::shared_ptr<Linear> q_proj_, k_proj_, v_proj_, o_proj_;
  std::shared_ptr<HeadNormGain> q_norm_, k_norm_;
};

}  // namespace hyperpp::models

// Multi-head attention with grouped key/value heads, rotary positions and, where the model has it,
// a norm of every query and key head.
//
//     x -> q_proj -> heads -> [q_norm] -> rotary --.
//     x -> k_proj -> heads -> [k_norm] -> rotary ---- attention -> o_proj -> out
//     x -> v_proj -> heads -------------------------'
//
// What stands between the projections is an AttentionCore, exchanged where a rank holds only a part
// of each sequence.
#pragma once

#include <memory>

#include "hyperpp/models/layer/attention_core.h"
#include "hyperpp/models/layer/forward_context.h"
#include "hyperpp/models/layer/linear.h"
#include "hyperpp/models/layer/tensor_region.h"
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

  /// What splits the heads over ranks; null: nothing.
  void set_tensor_region(std::shared_ptr<TensorRegion> region);

  /// How many times a value that the backward makes again is taken from the input.
  int NumTakes() const { return region_ ? 1 : kNumReaders; }

  /// Shapes: input [B * S, hidden]; result the same; with a region, of the rows that it says.
  at::Tensor forward(const Activation& input, const ForwardContext& context);

  void set_core(std::shared_ptr<const AttentionCore> core) { core_ = std::move(core); }

 private:
  static constexpr int kNumReaders = 3;

  at::Tensor Rotate(const at::Tensor& x_TND, HeadNormGain* norm,
                    const ForwardContext& context) const;
  at::Tensor Attend(const at::Tensor& q_TND, const at::Tensor& k_TMD, const at::Tensor& v_TMD,
                    const ForwardContext& context) const;

  int64_t layer_index_, head_dim_, window_;
  double norm_eps_, dropout_;
  std::shared_ptr<Linear> q_proj_, k_proj_, v_proj_, o_proj_;
  std::shared_ptr<HeadNormGain> q_norm_, k_norm_;
  std::shared_ptr<TensorRegion> region_;
  std::shared_ptr<const AttentionCore> core_ = std::make_shared<const LocalAttention>();
};

}  // namespace hyperpp::models

// The decoder-only skeleton that all dense families share, under the names of Hugging Face:
//
//     model.embed_tokens -> model.layers.0 ... N-1 -> model.norm -> lm_head
//
// The parts are called one by one, so that a pipeline stage can run the ones it holds. The head is
// no step of the graph: its loss, gradient and weight gradient come from one fused pass over the
// tokens, and the backward of everything before it starts from the gradient that this pass returns.
#pragma once

#include <memory>
#include <vector>

#include "hyperpp/kernels/cross_entropy.h"
#include "hyperpp/models/layer/decoder_layer.h"
#include "hyperpp/models/layer/embedding.h"

namespace hyperpp::models {

class Decoder : public Layer {
 public:
  /// Builds the whole model on the meta device.
  explicit Decoder(const DecoderSpec& spec);

  const DecoderSpec& spec() const { return spec_; }
  int64_t num_layers() const { return static_cast<int64_t>(layers_.size()); }
  const Weight& head_weight() const { return *head_weight_; }

  /// See Embedding.
  void ZeroPaddingRow() { embed_tokens_->ZeroPaddingRow(); }

  /// Shapes: ids_T int64; result [T, H].
  at::Tensor Embed(const at::Tensor& ids_T);
  /// Runs all decoder layers. Shapes: hidden_TH and result [B * S, H].
  at::Tensor RunLayers(at::Tensor hidden_TH, const ForwardContext& context);
  /// The final norm. Shapes: [T, H].
  at::Tensor Normalise(const at::Tensor& hidden_TH);
  /// Loss and, if wanted, gradients of the head; see kernels/cross_entropy.h. Adds the head's
  /// weight gradient at once, so a call with gradients is one forward and backward of the head.
  kernels::HeadLossResult HeadLoss(const at::Tensor& normed_TH, const at::Tensor& labels_T,
                                   double token_weight, bool with_gradient);
  /// Logits [T, V] in fp32; for generation, without gradients.
  at::Tensor Logits(const at::Tensor& normed_TH);

 private:
  DecoderSpec spec_;
  std::shared_ptr<Embedding> embed_tokens_;
  std::vector<std::shared_ptr<DecoderLayer>> layers_;
  std::shared_ptr<RmsNorm> norm_;
  std::shared_ptr<Linear> lm_head_;  // null if tied
  Weight* head_weight_;
};

/// Cosines and sines of positions 0 .. num_positions - 1 (fp32, on `device`).
/// `sequence_length`: length that dynamic scaling adapts to.
/// Returns tables without positions; a batch fills those in.
kernels::RotaryTables MakeRotaryTables(const DecoderSpec& spec, int64_t num_positions,
                                       int64_t sequence_length, at::Device device);

}  // namespace hyperpp::models

// The decoder-only skeleton that all dense families share, under the names of Hugging Face:
//
//     model.embed_tokens -> model.layers.0 ... N-1 -> model.norm -> lm_head
//
// The parts are called one by one, and any range of layers alone: as a PipelineModel the decoder is
// cut at its layers, and hidden states are all that crosses a boundary. A tied head reads the
// embedding's weight, so then the last stage holds the embedding as well.
//
// The head's loss, gradient and weight gradient come from one fused pass over the tokens, made in
// the forward pass; its backward only hands the gradient on.
#pragma once

#include <memory>
#include <vector>

#include "hyperpp/kernels/cross_entropy.h"
#include "hyperpp/models/layer/decoder_layer.h"
#include "hyperpp/models/layer/embedding.h"
#include "hyperpp/pipeline/runtime/pipeline_model.h"

namespace hyperpp::models {

/// What a forward pass of a stage depends on beside weights and microbatch.
struct DecoderRun {
  int64_t sequence_length = 0;  // longest sequence of the run; sizes the rotary tables
  uint64_t dropout_seed = 0;
  at::ScalarType compute_dtype = at::kFloat;  // of hidden states at stage boundaries
};

/// Keywords of a microbatch of B sequences, padded to L tokens, of which this rank holds S:
///     input_ids [B, S] int64, positions [B, S] int32 (restart with each document),
///     token_indices [S] int32, on the host: place in the sequence of the tokens held; absent if
///     they are all,
///     document_starts [B, L] int32, on the host: index of the first token of each document,
///     token_weight: double, on the host: weight of each token's loss, and for dropout
///     sample_ids [B] int64 (index in the global batch) and step: int64, on the host.
/// The target is the labels [B, S], int64, negative for none.
class Decoder : public Layer, public pipeline::PipelineModel {
 public:
  /// Builds the whole model on the meta device.
  explicit Decoder(const DecoderSpec& spec);

  const DecoderSpec& spec() const { return spec_; }
  /// REQUIRED before buffers are rebuilt or a stage runs.
  void set_run(const DecoderRun& run) { run_ = run; }

  /// The decoder layer `index`, to change how it runs.
  DecoderLayer& layer(int64_t index) { return *layers_.at(static_cast<std::size_t>(index)); }
  /// Puts `wrapper` around layer `index`, outside those it has; around the embedding, whose input
  /// are ids [T]; or around the final norm, head and loss, whose output is the loss.
  void WrapLayer(int64_t index, LayerWrapper wrapper);
  void WrapEmbedding(LayerWrapper wrapper) { embedding_wrappers_.push_back(std::move(wrapper)); }
  void WrapHead(LayerWrapper wrapper) { head_wrappers_.push_back(std::move(wrapper)); }

  std::vector<Weight*> EmbeddingWeights() { return WeightsBelow(*embed_tokens_); }
  std::vector<Weight*> FinalNormWeights() { return WeightsBelow(*norm_); }
  /// Of the head; the embedding's where it is tied.
  std::vector<Weight*> HeadWeights() { return {head_weight_}; }

  /// Sets what splits the matrices over ranks, in all parts of the model.
  void set_tensor_region(std::shared_ptr<TensorRegion> region);

  int64_t num_layers() const { return static_cast<int64_t>(layers_.size()); }
  const Weight& head_weight() const { return *head_weight_; }

  /// Shapes: ids_T int64; result [T, H]. (With a tensor region, hidden states have its rows.)
  at::Tensor Embed(const at::Tensor& ids_T);
  /// Runs all decoder layers, or [first, end) of them. Shapes: hidden_TH and result [B * S, H].
  at::Tensor RunLayers(at::Tensor hidden_TH, const ForwardContext& context);
  at::Tensor RunLayers(int64_t first, int64_t end, at::Tensor hidden_TH,
                       const ForwardContext& context);
  /// The final norm. Shapes: [T, H].
  at::Tensor Normalise(const at::Tensor& hidden_TH);
  /// Loss and, if wanted, gradients of the head; see kernels/cross_entropy.h. Adds the head's
  /// weight gradient at once, so a call with gradients is one forward and backward of the head.
  /// Where the vocabulary is split, `normed_TH` has entered the region.
  kernels::HeadLossResult HeadLoss(const at::Tensor& normed_TH, const at::Tensor& labels_T,
                                   double token_weight, bool with_gradient);
  /// Logits [T, V] in fp32; for generation, without gradients.
  at::Tensor Logits(const at::Tensor& normed_TH);

  std::vector<std::string> LayerNames() const override;
  std::vector<std::string> FirstStageNames() const override;
  std::vector<std::string> LastStageNames() const override;
  void StagesChosen(const std::vector<pipeline::StageRange>& stages) override;
  void RebuildBuffers(at::Device device) override;
  pipeline::StateSpec BoundaryState(int64_t layer,
                                    const pipeline::Keywords& keywords) const override;
  pipeline::StageState ForwardStage(const pipeline::StageRange& stage,
                                    const pipeline::StageState& input,
                                    const pipeline::Keywords& keywords) override;
  at::Tensor Loss(const pipeline::StageState& output, const at::Tensor& target,
                  const pipeline::Keywords& keywords) override;

 private:
  ForwardContext ContextOf(const pipeline::Keywords& keywords) const;
  at::Tensor HeadLossNode(const at::Tensor& hidden_TH, const at::Tensor& labels_T,
                          double token_weight);

  DecoderSpec spec_;
  DecoderRun run_;
  kernels::RotaryTables tables_;
  std::shared_ptr<Embedding> embed_tokens_;
  std::vector<std::shared_ptr<DecoderLayer>> layers_;
  // Innermost first.
  std::vector<std::vector<LayerWrapper>> wrappers_;  // of each layer
  std::vector<LayerWrapper> embedding_wrappers_, head_wrappers_;
  std::shared_ptr<RmsNorm> norm_;
  std::shared_ptr<Linear> lm_head_;  // null if tied
  Weight* head_weight_;
  std::shared_ptr<TensorRegion> region_;  // null: nothing is split
};

/// Cosines and sines of positions 0 .. num_positions - 1 (fp32, on `device`).
/// `sequence_length`: length that dynamic scaling adapts to.
/// Returns tables without positions; a batch fills those in.
kernels::RotaryTables MakeRotaryTables(const DecoderSpec& spec, int64_t num_positions,
                                       int64_t sequence_length, at::Device device);

}  // namespace hyperpp::models

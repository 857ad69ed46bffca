// A model small enough to differentiate numerically, with every trait of the dense families.
#pragma once

#include <memory>

#include <ATen/ops/arange.h>
#include <ATen/ops/zeros.h>

#include "hyperpp/models/decoder.h"
#include "hyperpp/models/parameter_store.h"
#include "hyperpp/models/random_init.h"

namespace hyperpp::models {

inline DecoderSpec TinySpec(bool tied) {
  DecoderSpec spec;
  spec.family = "qwen3";
  spec.vocab_size = 19;
  spec.hidden_size = 12;
  spec.intermediate_size = 20;
  spec.num_layers = 2;
  spec.num_heads = 4;
  spec.num_key_value_heads = 2;
  spec.head_dim = 6;
  spec.max_position_embeddings = 32;
  spec.tie_word_embeddings = tied;
  spec.qkv_bias = spec.output_bias = spec.mlp_bias = true;
  spec.qk_norm = true;
  spec.layer_windows = {0, 3};
  return spec;
}

inline DecoderSpec WithDropout(DecoderSpec spec, double dropout) {
  spec.attention_dropout = dropout;
  return spec;
}

struct TinyDecoder {
  explicit TinyDecoder(bool tied, at::ScalarType compute_dtype = at::kFloat,
                       const std::vector<std::string>& frozen = {}, double dropout = 0)
      : decoder(std::make_shared<Decoder>(WithDropout(TinySpec(tied), dropout))) {
    auto weights = CollectWeights(*decoder);
    for (Weight* weight : weights) {
      for (const auto& name : frozen)
        if (weight->fqn() == name) weight->set_trainable(false);
    }
    store = std::make_unique<ParameterStore>(weights, at::kCPU, compute_dtype, true);
    for (Weight* weight : weights) {
      at::Tensor value = weight->parameter().detach();
      FillNormal(value, weight->fqn(), 7, 0, 0.3);
      if (weight->use() == WeightUse::kGain) value.add_(1);
    }
    store->CastParameters();
  }

  /// Context of `batch` sequences of `length` tokens in one document each.
  ForwardContext Context(int64_t batch, int64_t length) const {
    ForwardContext context;
    context.batch = batch;
    context.sequence = length;
    context.rotary = MakeRotaryTables(decoder->spec(), length, length, at::kCPU);
    context.rotary.positions_T = at::arange(length, at::kInt).repeat({batch});
    context.spans = std::make_shared<AttentionSpans>(at::zeros({batch, length}, at::kInt));
    return context;
  }

  std::shared_ptr<Decoder> decoder;
  std::unique_ptr<ParameterStore> store;
};

}  // namespace hyperpp::models

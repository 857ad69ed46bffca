// DecoderSpec::Outline: the parameters in the order of a transformers state_dict.
#include <string>
#include <vector>

#include <fmt/format.h>

#include "hyperpp/models/spec/decoder_spec.h"

namespace hyperpp::models {
namespace {

// Adds parameters under a prefix such as "model.layers.3.".
class OutlineWriter {
 public:
  OutlineWriter(ModelOutline& outline, std::string prefix, int64_t layer)
      : outline_(outline), prefix_(std::move(prefix)), layer_(layer) {}

  void Weight(const std::string& module, std::vector<int64_t> shape) {
    outline_.parameters.push_back({prefix_ + module + ".weight", std::move(shape), layer_});
  }
  void Linear(const std::string& module, int64_t out_features, int64_t in_features, bool bias) {
    Weight(module, {out_features, in_features});
    if (bias) outline_.parameters.push_back({prefix_ + module + ".bias", {out_features}, layer_});
  }

 private:
  ModelOutline& outline_;
  std::string prefix_;
  int64_t layer_;
};

void WriteLayer(const DecoderSpec& spec, OutlineWriter writer) {
  const int64_t query_size = spec.num_heads * spec.head_dim;
  const int64_t key_value_size = spec.num_key_value_heads * spec.head_dim;
  writer.Linear("self_attn.q_proj", query_size, spec.hidden_size, spec.qkv_bias);
  writer.Linear("self_attn.k_proj", key_value_size, spec.hidden_size, spec.qkv_bias);
  writer.Linear("self_attn.v_proj", key_value_size, spec.hidden_size, spec.qkv_bias);
  writer.Linear("self_attn.o_proj", spec.hidden_size, query_size, spec.output_bias);
  if (spec.qk_norm) {
    writer.Weight("self_attn.q_norm", {spec.head_dim});
    writer.Weight("self_attn.k_norm", {spec.head_dim});
  }
  writer.Linear("mlp.gate_proj", spec.intermediate_size, spec.hidden_size, spec.mlp_bias);
  writer.Linear("mlp.up_proj", spec.intermediate_size, spec.hidden_size, spec.mlp_bias);
  writer.Linear("mlp.down_proj", spec.hidden_size, spec.intermediate_size, spec.mlp_bias);
  writer.Weight("input_layernorm", {spec.hidden_size});
  writer.Weight("post_attention_layernorm", {spec.hidden_size});
}

}  // namespace

ModelOutline DecoderSpec::Outline() const {
  ModelOutline outline;
  outline.num_layers = num_layers;
  OutlineWriter top(outline, "", -1);
  top.Weight("model.embed_tokens", {vocab_size, hidden_size});
  for (int64_t layer = 0; layer < num_layers; ++layer)
    WriteLayer(*this, OutlineWriter(outline, fmt::format("model.layers.{}.", layer), layer));
  top.Weight("model.norm", {hidden_size});
  if (tie_word_embeddings)
    outline.tied.emplace_back("lm_head.weight", "model.embed_tokens.weight");
  else
    top.Weight("lm_head", {vocab_size, hidden_size});
  return outline;
}

}  // namespace hyperpp::models

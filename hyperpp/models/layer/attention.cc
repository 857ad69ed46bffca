#include "hyperpp/models/layer/attention.h"

#include <cmath>
#include <utility>

#include "hyperpp/core/mix64.h"
#include "hyperpp/models/layer/graph_node.h"

namespace hyperpp::models {
namespace {

// Appends this pass's keys and values to the cache; returns all of them so far.
std::pair<at::Tensor, at::Tensor> Extend(KeyValueCache& cache, int64_t layer,
                                         const at::Tensor& k_BLMD, const at::Tensor& v_BLMD) {
  const int64_t length = k_BLMD.size(1);
  at::Tensor &keys = cache.keys_BLMD[layer], &values = cache.values_BLMD[layer];
  keys.narrow(1, cache.length, length).copy_(k_BLMD);
  values.narrow(1, cache.length, length).copy_(v_BLMD);
  return {keys.narrow(1, 0, cache.length + length), values.narrow(1, 0, cache.length + length)};
}

}  // namespace

HeadNormGain::HeadNormGain(int64_t head_dim)
    : weight_(RegisterWeight("weight", {head_dim}, WeightUse::kGain)) {}

Attention::Attention(const DecoderSpec& spec, int64_t layer_index)
    : layer_index_(layer_index),
      head_dim_(spec.head_dim),
      window_(spec.layer_windows.at(layer_index)),
      norm_eps_(spec.rms_norm_eps),
      dropout_(spec.attention_dropout) {
  const int64_t hidden = spec.hidden_size, query_size = spec.num_heads * head_dim_;
  const int64_t key_value_size = spec.num_key_value_heads * head_dim_;
  const auto linear = [&](const char* name, int64_t in, int64_t out, bool bias) {
    return register_module(name, std::make_shared<Linear>(in, out, bias));
  };
  q_proj_ = linear("q_proj", hidden, query_size, spec.qkv_bias);
  k_proj_ = linear("k_proj", hidden, key_value_size, spec.qkv_bias);
  v_proj_ = linear("v_proj", hidden, key_value_size, spec.qkv_bias);
  o_proj_ = linear("o_proj", query_size, hidden, spec.output_bias);
  if (spec.qk_norm) {
    q_norm_ = register_module("q_norm", std::make_shared<HeadNormGain>(head_dim_));
    k_norm_ = register_module("k_norm", std::make_shared<HeadNormGain>(head_dim_));
  }
}

void Attention::set_tensor_region(std::shared_ptr<TensorRegion> region) {
  region_ = std::move(region);
  o_proj_->set_adds_bias(region_->AddsBias());
}

at::Tensor Attention::forward(const Activation& input, const ForwardContext& context) {
  const Activation x_TH = region_ ? region_->Enter(input, kNumReaders) : input;
  const auto heads = [&](const at::Tensor& x) { return x.view({x.size(0), -1, head_dim_}); };
  const at::Tensor q_TND = Rotate(heads(q_proj_->forward(x_TH)), q_norm_.get(), context);
  const at::Tensor k_TMD = Rotate(heads(k_proj_->forward(x_TH)), k_norm_.get(), context);
  const at::Tensor v_TMD = heads(v_proj_->forward(x_TH));
  const at::Tensor out_TH = o_proj_->forward(Activation(Attend(q_TND, k_TMD, v_TMD, context)));
  return region_ ? region_->Leave(out_TH) : out_TH;
}

at::Tensor Attention::Rotate(const at::Tensor& x_TND, HeadNormGain* norm,
                             const ForwardContext& context) const {
  Weight* gain = norm ? &norm->weight() : nullptr;
  const auto head_norm = [gain, eps = norm_eps_] {
    return kernels::HeadNorm{gain ? gain->compute() : at::Tensor(), eps};
  };
  const at::Tensor x = x_TND.detach();
  kernels::RotaryResult result = kernels::RotaryForward(x, context.rotary, head_norm());
  const at::Tensor kept = gain ? x : at::Tensor();  // a rotation alone is undone without its input
  return AppendNode("Rotary", {x_TND, gain ? gain->parameter() : at::Tensor()}, {result.out_TND},
                    [kept, gain, head_norm, tables = context.rotary,
                     rstd = result.rstd_TN](const auto& gradients) {
                      const at::Tensor grad_x = kernels::RotaryBackward(
                          gradients[0].contiguous(), kept, rstd, tables, head_norm(),
                          gain && gain->trainable() ? gain->gradient() : at::Tensor());
                      if (gain && gain->trainable()) gain->GradientAdded();
                      return std::vector<at::Tensor>{grad_x, at::Tensor()};
                    })[0];
}

at::Tensor Attention::Attend(const at::Tensor& q_TND, const at::Tensor& k_TMD,
                             const at::Tensor& v_TMD, const ForwardContext& context) const {
  const int64_t batch = context.batch, sequence = context.sequence;
  const auto split = [&](const at::Tensor& x) {
    return x.detach().view({batch, sequence, x.size(1), head_dim_});
  };
  at::Tensor q = split(q_TND), k = split(k_TMD), v = split(v_TMD);
  if (context.cache) std::tie(k, v) = Extend(*context.cache, layer_index_, k, v);

  AttentionRequest request{.scale = 1.0 / std::sqrt(static_cast<double>(head_dim_)),
                           .window = window_,
                           .spans = context.spans};
  if (context.dropout && dropout_ > 0)
    request.dropout = {.probability = dropout_,
                       .key = Mix64(context.dropout->seed, context.dropout->step, layer_index_),
                       .sample_ids_B = context.dropout->sample_ids_B,
                       .first_head = q_proj_->weight().local_offsets()[0] / head_dim_};
  AttentionPass pass = core_->Run(q, k, v, request);
  return AppendNode(
      "Attention", {q_TND, k_TMD, v_TMD}, {pass.out_BSND.view({batch * sequence, -1})},
      [sizes = q.sizes().vec(), backward = std::move(pass.backward)](const auto& gradients) {
        const auto grads = backward(gradients[0].contiguous().view(sizes));
        const auto flat = [](const at::Tensor& x) { return x.flatten(0, 1); };
        return std::vector<at::Tensor>{flat(grads.q_BSND), flat(grads.k_BLMD), flat(grads.v_BLMD)};
      })[0];
}

}  // namespace hyperpp::models

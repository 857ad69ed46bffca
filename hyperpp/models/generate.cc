#include "hyperpp/models/generate.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include <ATen/core/grad_mode.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>

#include "hyperpp/core/error.h"

namespace hyperpp::models {
namespace {

KeyValueCache MakeCache(const Decoder& model, int64_t max_length, at::TensorOptions options) {
  KeyValueCache cache;
  const DecoderSpec& spec = model.spec();
  for (int64_t i = 0; i < model.num_layers(); ++i) {
    for (auto* tensors : {&cache.keys_BLMD, &cache.values_BLMD})
      tensors->push_back(
          at::empty({1, max_length, spec.num_key_value_heads, spec.head_dim}, options));
  }
  return cache;
}

// Runs `ids` as positions cache.length ..., and returns the logits of the last one.
at::Tensor NextLogits(Decoder& model, const std::vector<int64_t>& ids, KeyValueCache& cache,
                      const kernels::RotaryTables& tables) {
  const auto length = static_cast<int64_t>(ids.size());
  const at::Device device = tables.cos_PR.device();
  ForwardContext context;
  context.batch = 1;
  context.sequence = length;
  context.rotary = tables;
  context.rotary.positions_T = at::arange(cache.length, cache.length + length,
                                          at::TensorOptions().dtype(at::kInt).device(device));
  context.spans = std::make_shared<AttentionSpans>(
      at::zeros({1, cache.length + length}, at::kInt),
      at::arange(cache.length, cache.length + length, at::kInt), device);
  context.cache = &cache;
  const at::Tensor hidden =
      model.RunLayers(model.Embed(at::tensor(ids, at::kLong).to(device)), context);
  cache.length += length;
  return model.Logits(model.Normalise(hidden.narrow(0, length - 1, 1).contiguous()))[0].cpu();
}

}  // namespace

int64_t PickToken(const at::Tensor& logits_V, double temperature, double top_p, double uniform) {
  const float* logits = logits_V.const_data_ptr<float>();
  const int64_t vocab = logits_V.numel();
  const int64_t best = std::max_element(logits, logits + vocab) - logits;
  if (temperature == 0) return best;

  std::vector<int64_t> order(vocab);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int64_t a, int64_t b) { return logits[a] > logits[b]; });
  std::vector<double> probability(vocab);
  for (int64_t i = 0; i < vocab; ++i)
    probability[i] = std::exp((static_cast<double>(logits[order[i]]) - logits[best]) / temperature);
  const double total = std::accumulate(probability.begin(), probability.end(), 0.0);
  int64_t kept = 0;
  double mass = 0;
  while (kept < vocab && (kept == 0 || mass < top_p * total)) mass += probability[kept++];
  double target = uniform * mass;
  for (int64_t i = 0; i < kept; ++i) {
    target -= probability[i];
    if (target < 0) return order[i];
  }
  return order[kept - 1];
}

std::vector<int64_t> Generate(Decoder& model, const std::vector<int64_t>& prompt,
                              const GenerateOptions& options,
                              const std::function<void(int64_t)>& on_token) {
  HYPERPP_CHECK(!prompt.empty(), "prompt of no tokens");
  const at::NoGradGuard no_grad;
  const DecoderSpec& spec = model.spec();
  const auto prompt_length = static_cast<int64_t>(prompt.size());
  const int64_t max_length = prompt_length + options.max_new_tokens;
  const at::Tensor& weight = model.head_weight().compute();
  KeyValueCache cache = MakeCache(model, max_length, weight.options().requires_grad(false));
  auto tables = MakeRotaryTables(spec, max_length, prompt_length, weight.device());

  std::mt19937_64 generator(options.seed);
  std::vector<int64_t> ids = prompt, next = prompt;
  for (int64_t i = 0; i < options.max_new_tokens; ++i) {
    // Dynamic scaling follows the length so far; keys in the cache stay as they were turned.
    const int64_t length = prompt_length + i;
    if (spec.rope.type == RopeSpec::Type::kDynamic && length > spec.max_position_embeddings)
      tables = MakeRotaryTables(spec, length, length, weight.device());
    const at::Tensor logits = NextLogits(model, next, cache, tables);
    const double uniform = static_cast<double>(generator() >> 11) * 0x1p-53;
    const int64_t token = PickToken(logits, options.temperature, options.top_p, uniform);
    ids.push_back(token);
    if (on_token) on_token(token);
    if (token == options.stop_token) break;
    next = {token};
  }
  return ids;
}

}  // namespace hyperpp::models

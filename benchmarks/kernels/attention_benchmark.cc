#include <ATen/ATen.h>
#include <fmt/format.h>

#include "hyperpp/kernels/attention.h"

#include "benchmarks/kernels/compare.h"

namespace hyperpp::kernels {
namespace {

constexpr int64_t kBatch = 4, kTokens = 512, kHeads = 8, kKvHeads = 4, kDim = 64;
constexpr double kScale = 0.125;

AttentionOptions Intervals(bool causal) {
  AttentionOptions options;
  options.scale = kScale;
  options.key_begin_BS = at::zeros({kBatch, kTokens}, at::kInt);
  options.key_end_BS = causal ? at::arange(1, kTokens + 1, at::kInt).repeat({kBatch, 1})
                              : at::full({kBatch, kTokens}, kTokens, at::kInt);
  return options;
}

void CompareMask(at::ScalarType dtype, bool causal) {
  const auto draw = [&](int64_t heads) {
    return at::randn({kBatch, kTokens, heads, kDim}).to(dtype);
  };
  const at::Tensor q = draw(kHeads), k = draw(kKvHeads), v = draw(kKvHeads), grad = draw(kHeads);
  const AttentionOptions options = Intervals(causal);
  const AttentionResult own = AttentionForward(q, k, v, options);
  const at::Tensor q_t = q.transpose(1, 2), k_t = k.transpose(1, 2), v_t = v.transpose(1, 2);
  const auto aten_forward = [=] {
    return at::_scaled_dot_product_flash_attention_for_cpu(q_t, k_t, v_t, 0, causal, {}, kScale);
  };
  const auto [out_t, lse_t] = aten_forward();
  const std::string shape = fmt::format("{} {}", c10::toString(dtype), causal ? "causal" : "full");
  // Two products of 2 B N S L D operations forward, five backward; a causal mask needs half.
  const double product = 2. * kBatch * kHeads * kTokens * kTokens * kDim * (causal ? 0.5 : 1);
  Compare("attention_forward/" + shape, 2 * product, aten_forward,
          [=] { AttentionForward(q, k, v, options); });
  Compare(
      "attention_backward/" + shape, 5 * product,
      [=, out = out_t, lse = lse_t, grad_t = grad.transpose(1, 2)] {
        at::_scaled_dot_product_flash_attention_for_cpu_backward(grad_t, q_t, k_t, v_t, out, lse, 0,
                                                                 causal, {}, kScale);
      },
      [=] { AttentionBackward(grad, q, k, v, own, options); });
}

}  // namespace

void CompareAttention() {
  for (at::ScalarType dtype : {at::kBFloat16, at::kFloat})
    for (bool causal : {true, false}) CompareMask(dtype, causal);
}

}  // namespace hyperpp::kernels

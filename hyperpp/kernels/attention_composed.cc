#include "hyperpp/kernels/attention_composed.h"

#include <limits>

#include <ATen/ops/arange.h>
#include <ATen/ops/logsumexp.h>
#include <ATen/ops/matmul.h>

#include "hyperpp/kernels/attention_dropout.h"

namespace hyperpp::kernels {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// [B, S, N, D] -> [B, M, N / M, S, D] in fp32.
at::Tensor Grouped(const at::Tensor& x, int64_t num_kv_heads) {
  return x.to(at::kFloat)
      .unflatten(2, {num_kv_heads, x.size(2) / num_kv_heads})
      .permute({0, 2, 3, 1, 4});
}

// The way back, rounded to `dtype`.
at::Tensor Ungrouped(const at::Tensor& x, at::ScalarType dtype) {
  return x.permute({0, 3, 1, 2, 4}).flatten(2, 3).to(dtype).contiguous();
}

// Scaled scores [B, M, N / M, S, L], -inf outside the intervals.
at::Tensor Scores(const at::Tensor& q, const at::Tensor& k, const AttentionOptions& options) {
  const at::Tensor keys = at::arange(k.size(3), options.key_begin_BS.options());
  const at::Tensor outside = keys.lt(options.key_begin_BS.unsqueeze(-1))
                                 .logical_or(keys.ge(options.key_end_BS.unsqueeze(-1)));
  return at::matmul(q, k.transpose(3, 4))
      .mul(options.scale)
      .masked_fill(outside.unsqueeze(1).unsqueeze(1), -kInfinity);
}

at::Tensor Probabilities(const at::Tensor& scores, const at::Tensor& lse_BNS) {
  const at::Tensor lse = lse_BNS.unflatten(1, {scores.size(1), scores.size(2)}).unsqueeze(-1);
  return (scores - lse.masked_fill(lse.eq(-kInfinity), kInfinity)).exp();
}

// Multiplies by the dropout factors, if there are any.
at::Tensor Drop(const at::Tensor& probabilities, const AttentionOptions& options) {
  if (options.dropout == nullptr) return probabilities;
  const int64_t num_heads = probabilities.size(1) * probabilities.size(2);
  return probabilities * DropoutFactors(*options.dropout, num_heads)
                             .to(probabilities.device())
                             .view(probabilities.sizes());
}

}  // namespace

AttentionResult ComposedAttentionForward(const at::Tensor& q_BSND, const at::Tensor& k_BLMD,
                                         const at::Tensor& v_BLMD,
                                         const AttentionOptions& options) {
  const int64_t num_kv_heads = k_BLMD.size(2);
  const at::Tensor q = Grouped(q_BSND, num_kv_heads);
  const at::Tensor k = Grouped(k_BLMD, num_kv_heads), v = Grouped(v_BLMD, num_kv_heads);
  const at::Tensor scores = Scores(q, k, options);
  const at::Tensor lse = at::logsumexp(scores, -1).flatten(1, 2);
  const at::Tensor out = at::matmul(Drop(Probabilities(scores, lse), options), v);
  return {Ungrouped(out, q_BSND.scalar_type()), lse.contiguous()};
}

AttentionGradients ComposedAttentionBackward(const at::Tensor& grad_out_BSND,
                                             const at::Tensor& q_BSND, const at::Tensor& k_BLMD,
                                             const at::Tensor& v_BLMD,
                                             const AttentionResult& forward,
                                             const AttentionOptions& options) {
  const int64_t num_kv_heads = k_BLMD.size(2);
  const at::Tensor q = Grouped(q_BSND, num_kv_heads), grad = Grouped(grad_out_BSND, num_kv_heads);
  const at::Tensor k = Grouped(k_BLMD, num_kv_heads), v = Grouped(v_BLMD, num_kv_heads);
  const at::Tensor p = Probabilities(Scores(q, k, options), forward.lse_BNS);
  const at::Tensor delta = (grad * Grouped(forward.out_BSND, num_kv_heads)).sum(-1, true);
  const at::Tensor grad_p = Drop(at::matmul(grad, v.transpose(3, 4)), options);
  const at::Tensor grad_scores = p * (grad_p - delta) * options.scale;
  const at::Tensor grad_v = at::matmul(Drop(p, options).transpose(3, 4), grad).sum(2, true);
  const at::Tensor grad_k = at::matmul(grad_scores.transpose(3, 4), q).sum(2, true);
  const at::ScalarType dtype = q_BSND.scalar_type();
  return {Ungrouped(at::matmul(grad_scores, k), dtype), Ungrouped(grad_k, dtype),
          Ungrouped(grad_v, dtype)};
}

}  // namespace hyperpp::kernels

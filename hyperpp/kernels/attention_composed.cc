#include "hyperpp/kernels/attention_composed.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include <ATen/ops/arange.h>
#include <ATen/ops/bmm.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/logsumexp.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

#include "hyperpp/kernels/attention_dropout.h"
#include "hyperpp/kernels/matrix_product.h"

namespace hyperpp::kernels {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr int64_t kMaxScores = int64_t{1} << 26;

// Sizes of a block of queries: Z = B * M products, with R = N / M * S rows each.
struct Block {
  int64_t first, queries;
  int64_t batch, num_kv_heads, group, keys;

  at::IntArrayRef ScoreSizes() const { return sizes_; }

  Block(const at::Tensor& q, const at::Tensor& k, int64_t first_query, int64_t num_queries)
      : first(first_query),
        queries(num_queries),
        batch(q.size(0)),
        num_kv_heads(k.size(2)),
        group(q.size(2) / k.size(2)),
        keys(k.size(1)),
        sizes_{batch, num_kv_heads, group, queries, keys} {}

  // [B, M, G, S, L] -> [Z, R, L], the form of products.
  at::Tensor AsProduct(const at::Tensor& scores) const {
    return scores.view({batch * num_kv_heads, group * queries, keys});
  }

 private:
  std::array<int64_t, 5> sizes_;
};

// Calls `body` for all blocks of queries, in order.
template <typename Body>
void ForEachBlock(const at::Tensor& q, const at::Tensor& k, int64_t max_scores, Body&& body) {
  const int64_t scores_of_row = std::max<int64_t>(1, q.size(0) * q.size(2) * k.size(1));
  const int64_t limit = max_scores > 0 ? max_scores : kMaxScores;
  const int64_t rows = std::max<int64_t>(1, limit / scores_of_row);
  for (int64_t first = 0; first < q.size(1); first += rows)
    body(Block(q, k, first, std::min(rows, q.size(1) - first)));
}

// [B, S, N, D] -> [B * M, N / M * S, D]
at::Tensor AsRows(const at::Tensor& x, int64_t num_kv_heads) {
  const int64_t group = x.size(2) / num_kv_heads;
  return x.unflatten(2, {num_kv_heads, group})
      .permute({0, 2, 3, 1, 4})
      .reshape({x.size(0) * num_kv_heads, group * x.size(1), x.size(3)});
}

// Rows of a product back into `out`, [B, S, N, D].
void CopyRows(const at::Tensor& rows, const at::Tensor& out, int64_t num_kv_heads) {
  const int64_t group = out.size(2) / num_kv_heads;
  out.unflatten(2, {num_kv_heads, group})
      .permute({0, 2, 3, 1, 4})
      .copy_(rows.view({out.size(0), num_kv_heads, group, out.size(1), out.size(3)}));
}

// Scaled scores [B, M, G, S, L] in fp32, -inf outside the intervals.
at::Tensor Scores(const at::Tensor& q_ZRD, const at::Tensor& k_ZLD, const AttentionOptions& options,
                  const Block& block) {
  const auto of_block = [&](const at::Tensor& keys_BS) {
    return keys_BS.narrow(1, block.first, block.queries).unsqueeze(-1);
  };
  const at::Tensor keys = at::arange(block.keys, options.key_begin_BS.options());
  const at::Tensor outside =
      keys.lt(of_block(options.key_begin_BS)).logical_or_(keys.ge(of_block(options.key_end_BS)));
  return MultiplyBatchToFp32(q_ZRD, k_ZLD.transpose(1, 2))
      .view(block.ScoreSizes())
      .mul_(options.scale)
      .masked_fill_(outside.unsqueeze(1).unsqueeze(1), -kInfinity);
}

// Softmax of the scores, in their memory; rows without a key become 0.
at::Tensor Probabilities(at::Tensor scores, const at::Tensor& lse_BMGS1) {
  return scores.sub_(lse_BMGS1.masked_fill(lse_BMGS1.eq(-kInfinity), kInfinity)).exp_();
}

// The block's dropout factors, shaped like its scores; undefined without dropout.
at::Tensor Factors(const AttentionOptions& options, const Block& block) {
  if (options.dropout == nullptr) return {};
  AttentionDropout dropout = *options.dropout;
  dropout.query_positions_S = dropout.query_positions_S.narrow(0, block.first, block.queries);
  return DropoutFactors(dropout, block.num_kv_heads * block.group).view(block.ScoreSizes());
}

at::Tensor Times(const at::Tensor& x, const at::Tensor& factors) {
  return factors.defined() ? x * factors : x;
}

}  // namespace

AttentionResult ComposedAttentionForward(const at::Tensor& q_BSND, const at::Tensor& k_BLMD,
                                         const at::Tensor& v_BLMD, const AttentionOptions& options,
                                         int64_t max_scores) {
  const int64_t num_kv_heads = k_BLMD.size(2);
  const at::ScalarType dtype = q_BSND.scalar_type();
  const at::Tensor k_ZLD = AsRows(k_BLMD, num_kv_heads), v_ZLD = AsRows(v_BLMD, num_kv_heads);
  AttentionResult result{at::empty(q_BSND.sizes(), q_BSND.options()),
                         at::empty({q_BSND.size(0), q_BSND.size(2), q_BSND.size(1)},
                                   q_BSND.options().dtype(at::kFloat))};
  ForEachBlock(q_BSND, k_BLMD, max_scores, [&](const Block& block) {
    const auto of_block = [&](const at::Tensor& x, int64_t dim) {
      return x.narrow(dim, block.first, block.queries);
    };
    const at::Tensor q_ZRD = AsRows(of_block(q_BSND, 1), num_kv_heads);
    at::Tensor scores = Scores(q_ZRD, k_ZLD, options, block);
    const at::Tensor lse = at::logsumexp(scores, {-1}, true);
    of_block(result.lse_BNS, 2).copy_(lse.flatten(1, 2).squeeze(-1));
    const at::Tensor p =
        Times(Probabilities(std::move(scores), lse), Factors(options, block)).to(dtype);
    CopyRows(at::bmm(block.AsProduct(p), v_ZLD), of_block(result.out_BSND, 1), num_kv_heads);
  });
  return result;
}

AttentionGradients ComposedAttentionBackward(const at::Tensor& grad_out_BSND,
                                             const at::Tensor& q_BSND, const at::Tensor& k_BLMD,
                                             const at::Tensor& v_BLMD,
                                             const AttentionResult& forward,
                                             const AttentionOptions& options, int64_t max_scores) {
  const int64_t num_kv_heads = k_BLMD.size(2);
  const at::ScalarType dtype = q_BSND.scalar_type();
  const at::Tensor k_ZLD = AsRows(k_BLMD, num_kv_heads), v_ZLD = AsRows(v_BLMD, num_kv_heads);
  const auto fp32 = q_BSND.options().dtype(at::kFloat);
  at::Tensor grad_k_ZLD = at::zeros(k_ZLD.sizes(), fp32), grad_v_ZLD = at::zeros_like(grad_k_ZLD);
  AttentionGradients gradients{at::empty(q_BSND.sizes(), q_BSND.options()),
                               at::empty(k_BLMD.sizes(), k_BLMD.options()),
                               at::empty(v_BLMD.sizes(), v_BLMD.options())};
  ForEachBlock(q_BSND, k_BLMD, max_scores, [&](const Block& block) {
    const auto rows = [&](const at::Tensor& x_BSND) {
      return AsRows(x_BSND.narrow(1, block.first, block.queries), num_kv_heads);
    };
    const at::Tensor q_ZRD = rows(q_BSND), grad_ZRD = rows(grad_out_BSND);
    const at::Tensor lse = forward.lse_BNS.narrow(2, block.first, block.queries)
                               .unflatten(1, {num_kv_heads, block.group})
                               .unsqueeze(-1);
    const at::Tensor p = Probabilities(Scores(q_ZRD, k_ZLD, options, block), lse);
    const at::Tensor factors = Factors(options, block);
    grad_v_ZLD.add_(MultiplyBatchToFp32(
        block.AsProduct(Times(p, factors).to(dtype)).transpose(1, 2), grad_ZRD));

    const at::Tensor delta_ZR1 =
        (grad_ZRD.to(at::kFloat) * rows(forward.out_BSND).to(at::kFloat)).sum(-1, true);
    const at::Tensor grad_p =
        MultiplyBatchToFp32(grad_ZRD, v_ZLD.transpose(1, 2)).view(block.ScoreSizes());
    const at::Tensor grad_scores_ZRL = block.AsProduct(Times(grad_p, factors))
                                           .sub(delta_ZR1)
                                           .mul_(block.AsProduct(p))
                                           .mul_(options.scale)
                                           .to(dtype);
    CopyRows(at::bmm(grad_scores_ZRL, k_ZLD),
             gradients.q_BSND.narrow(1, block.first, block.queries), num_kv_heads);
    grad_k_ZLD.add_(MultiplyBatchToFp32(grad_scores_ZRL.transpose(1, 2), q_ZRD));
  });
  CopyRows(grad_k_ZLD, gradients.k_BLMD, num_kv_heads);
  CopyRows(grad_v_ZLD, gradients.v_BLMD, num_kv_heads);
  return gradients;
}

}  // namespace hyperpp::kernels

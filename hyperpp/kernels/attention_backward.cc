#include <algorithm>
#include <limits>
#include <vector>

#include <ATen/Parallel.h>
#include <ATen/ops/empty.h>

#include "hyperpp/core/round_up.h"
#include "hyperpp/kernels/attention_cpu.h"
#include "hyperpp/kernels/attention_problem.h"
#include "hyperpp/kernels/block_product.h"
#include "hyperpp/kernels/parallel_for.h"
#include "hyperpp/kernels/work_queue.h"

// Five products a block, with everything transposed ([key][query]), so that P^T and dS^T are left
// operands as they are computed, and the statistics of queries are vectors:
//
//     S^T = K Q^T     dP^T = V dO^T     P^T, dS^T elementwise
//     dV += P^T dO    dK += dS^T Q      dQ^T += K^T dS^T

namespace hyperpp::kernels {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kLog2E = 1.44269504f;

// Key blocks as left operands. [B, M, key blocks]
struct PackedKeysAndValues {
  BlockBuffer k_rows, v_rows, k_transposed;
};

PackedKeysAndValues Pack(const AttentionProblem& problem, const at::Tensor& k,
                         const at::Tensor& v) {
  const int64_t bytes = problem.BlockBytes();
  const int64_t num_blocks = problem.batch * problem.num_kv_heads * problem.key_blocks;
  PackedKeysAndValues packed{{num_blocks, bytes}, {num_blocks, bytes}, {num_blocks, bytes}};
  ParallelFor(0, num_blocks, 1, [&](int64_t first, int64_t last) {
    for (int64_t i = first; i < last; ++i) {
      const int64_t block = i % problem.key_blocks, pair = i / problem.key_blocks;
      const int64_t sequence = pair / problem.num_kv_heads, head = pair % problem.num_kv_heads;
      const int64_t tokens = problem.KeyTokens(block), dim = problem.padded_dim;
      problem.layout->load_rows(BlockRows(k, sequence, head, block), tokens, dim, packed.k_rows[i]);
      problem.layout->load_rows(BlockRows(v, sequence, head, block), tokens, dim, packed.v_rows[i]);
      problem.layout->transposed(packed.k_rows[i], tokens, dim, packed.k_transposed[i]);
    }
  });
  return packed;
}

struct BackwardTensors {
  const at::Tensor &grad_out, &q;
  const AttentionResult& forward;
};

// One query head's blocks as right operands, and its rows' statistics.
class PackedQueries {
 public:
  explicit PackedQueries(const AttentionProblem& problem)
      : q_columns(problem.query_blocks, problem.BlockBytes()),
        q_paired(problem.query_blocks, problem.BlockBytes()),
        grad_columns(problem.query_blocks, problem.BlockBytes()),
        grad_paired(problem.query_blocks, problem.BlockBytes()),
        lse_log2(problem.query_blocks * kAttentionBlock),
        delta(problem.query_blocks * kAttentionBlock),
        problem_(problem),
        rows_(1, problem.BlockBytes()) {}

  void Load(const BackwardTensors& tensors, int64_t sequence, int64_t head) {
    for (int64_t block = 0; block < problem_.query_blocks; ++block) {
      const HeadRows q = BlockRows(tensors.q, sequence, head, block);
      const HeadRows grad = BlockRows(tensors.grad_out, sequence, head, block);
      const HeadRows out = BlockRows(tensors.forward.out_BSND, sequence, head, block);
      LoadOne(q, block, q_columns, q_paired);
      LoadOne(grad, block, grad_columns, grad_paired);
      problem_.layout->row_dots(grad, out, &delta[block * kAttentionBlock]);
    }
    const float* lse = tensors.forward.lse_BNS.const_data_ptr<float>() +
                       (sequence * problem_.num_heads + head) * problem_.num_queries;
    // 2^(s - inf) = 0: queries without keys, and those that pad the last block, add nothing.
    for (int64_t i = 0; i < static_cast<int64_t>(lse_log2.size()); ++i) {
      const bool has_keys = i < problem_.num_queries && !problem_.mask.IsEmpty(sequence, i);
      lse_log2[i] = has_keys ? lse[i] * kLog2E : kInfinity;
    }
  }

  const BlockBuffer q_columns, q_paired, grad_columns, grad_paired;
  std::vector<float> lse_log2, delta;

 private:
  void LoadOne(const HeadRows& from, int64_t block, const BlockBuffer& columns,
               const BlockBuffer& paired) {
    const int64_t tokens = problem_.QueryTokens(block), dim = problem_.padded_dim;
    problem_.layout->load_rows(from, tokens, dim, rows_[0]);
    problem_.layout->columns(rows_[0], tokens, dim, columns[block]);
    problem_.layout->load_paired_rows(from, tokens, dim, paired[block]);
  }

  const AttentionProblem& problem_;
  BlockBuffer rows_;
};

// Which part of the key blocks a unit works on: blocks `first`, first + stride, ... Dealt out in
// turns, because a causal mask leaves more work to early keys.
struct KeyShare {
  int64_t first, stride;
};

// The memory and the steps of one thread.
class BackwardWorker {
 public:
  BackwardWorker(const AttentionProblem& problem, const PackedKeysAndValues& packed,
                 const AttentionDropout* dropout)
      : problem_(problem),
        packed_(packed),
        dropout_(dropout, problem),
        multiply_(problem.bfloat16_blocks),
        queries_(problem),
        scores_(1, kSquare * 4),
        grad_probabilities_(1, kSquare * 4),
        probabilities_(1, kSquare * problem.element_bytes),
        grad_scores_(1, kSquare * problem.element_bytes),
        grad_scores_paired_(1, kSquare * problem.element_bytes),
        grad_k_(problem.key_blocks, problem.BlockSize() * 4),
        grad_v_(problem.key_blocks, problem.BlockSize() * 4) {}

  void StartPair() {
    grad_k_.Clear();
    grad_v_.Clear();
  }

  // Adds one query head's part to dK and dV, and the share's part of dQ^T to `grad_q_columns`
  // ([query blocks] of [dim][kAttentionBlock]).
  void AddHead(const BackwardTensors& tensors, int64_t sequence, int64_t head,
               const KeyShare& share, const BlockBuffer& grad_q_columns, int64_t first_column) {
    queries_.Load(tensors, sequence, head);
    dropout_.SetHead(sequence, head, 0, problem_.query_blocks);
    for (int64_t key_block = share.first; key_block < problem_.key_blocks;
         key_block += share.stride) {
      for (int64_t query_block = 0; query_block < problem_.query_blocks; ++query_block) {
        const MaskCover cover = problem_.mask.Cover(sequence, query_block, key_block);
        if (cover == MaskCover::kNone) continue;
        if (cover == MaskCover::kPartial)
          problem_.mask.CountInBlock(sequence, query_block, key_block, begin_, end_);
        AddBlock(sequence * problem_.num_kv_heads + head / problem_.group, query_block, key_block,
                 cover == MaskCover::kPartial, grad_q_columns.Floats(first_column + query_block));
      }
    }
  }

  void FinishPair(int64_t sequence, int64_t kv_head, const KeyShare& share,
                  AttentionGradients& gradients) {
    for (int64_t block = share.first; block < problem_.key_blocks; block += share.stride) {
      problem_.layout->store_rows(grad_k_.Floats(block), problem_.padded_dim, problem_.scale,
                                  MutableBlockRows(gradients.k_BLMD, sequence, kv_head, block));
      problem_.layout->store_rows(grad_v_.Floats(block), problem_.padded_dim, 1,
                                  MutableBlockRows(gradients.v_BLMD, sequence, kv_head, block));
    }
  }

 private:
  static constexpr int64_t kSquare = kAttentionBlock * kAttentionBlock;

  void AddBlock(int64_t pair, int64_t query_block, int64_t key_block, bool masked,
                float* grad_q_columns) {
    constexpr int64_t kBlock = kAttentionBlock;
    const int64_t queries = problem_.QueryTokens(query_block), keys = problem_.KeyTokens(key_block);
    const int64_t dim = problem_.padded_dim, packed = pair * problem_.key_blocks + key_block;
    float *scores = scores_.Floats(), *grad_probabilities = grad_probabilities_.Floats();
    multiply_({keys, queries, dim, dim, kBlock, kBlock}, packed_.k_rows[packed],
              queries_.q_columns[query_block], scores, false);
    multiply_({keys, queries, dim, dim, kBlock, kBlock}, packed_.v_rows[packed],
              queries_.grad_columns[query_block], grad_probabilities, false);
    problem_.softmax->gradient(
        {{scores, problem_.scale_log2, keys, queries, masked ? begin_ : nullptr,
          masked ? end_ : nullptr, dropout_.Block(query_block, key_block)},
         grad_probabilities,
         &queries_.lse_log2[query_block * kBlock],
         &queries_.delta[query_block * kBlock],
         probabilities_[0],
         grad_scores_[0],
         grad_scores_paired_[0]});
    multiply_({keys, dim, queries, kBlock, dim, dim}, probabilities_[0],
              queries_.grad_paired[query_block], grad_v_.Floats(key_block), true);
    multiply_({keys, dim, queries, kBlock, dim, dim}, grad_scores_[0],
              queries_.q_paired[query_block], grad_k_.Floats(key_block), true);
    // fp32 right operands are not paired: the left operand serves.
    multiply_({dim, queries, keys, kBlock, kBlock, kBlock}, packed_.k_transposed[packed],
              problem_.bfloat16_blocks ? grad_scores_paired_[0] : grad_scores_[0], grad_q_columns,
              true);
  }

  const AttentionProblem& problem_;
  const PackedKeysAndValues& packed_;
  HeadDropout dropout_;
  BlockProduct multiply_;
  PackedQueries queries_;
  BlockBuffer scores_, grad_probabilities_, probabilities_, grad_scores_, grad_scores_paired_;
  BlockBuffer grad_k_, grad_v_;  // [key blocks] of [kAttentionBlock][dim] fp32
  int32_t begin_[kAttentionBlock], end_[kAttentionBlock];
};

// Writes dQ of one head: the sum of the shares' parts, `share_stride` blocks apart, times scale.
void StoreQueryGradient(const AttentionProblem& problem, const BlockBuffer& parts, int64_t first,
                        int64_t num_shares, int64_t share_stride, int64_t sequence, int64_t head,
                        AttentionGradients& gradients) {
  float scales[kAttentionBlock];
  std::fill_n(scales, kAttentionBlock, problem.scale);
  for (int64_t block = 0; block < problem.query_blocks; ++block) {
    float* sum = parts.Floats(first + block);
    for (int64_t share = 1; share < num_shares; ++share) {
      const float* part = parts.Floats(first + block + share * share_stride);
      for (int64_t i = 0; i < problem.BlockSize(); ++i) sum[i] += part[i];
    }
    problem.layout->store_columns(sum, scales,
                                  MutableBlockRows(gradients.q_BSND, sequence, head, block));
  }
}

// Enough threads have a whole key/value head each.
void BackwardByPairs(const AttentionProblem& problem, const PackedKeysAndValues& packed,
                     const BackwardTensors& tensors, const AttentionDropout* dropout,
                     AttentionGradients& gradients) {
  RunWorkers(problem.batch * problem.num_kv_heads, [&](WorkQueue& queue) {
    BackwardWorker worker(problem, packed, dropout);
    BlockBuffer grad_q(problem.query_blocks, problem.BlockSize() * 4);
    const KeyShare all{0, 1};
    for (int64_t pair = queue.Take(); pair >= 0; pair = queue.Take()) {
      const int64_t sequence = pair / problem.num_kv_heads, kv_head = pair % problem.num_kv_heads;
      worker.StartPair();
      for (int64_t head = kv_head * problem.group; head < (kv_head + 1) * problem.group; ++head) {
        grad_q.Clear();
        worker.AddHead(tensors, sequence, head, all, grad_q, 0);
        StoreQueryGradient(problem, grad_q, 0, 1, 0, sequence, head, gradients);
      }
      worker.FinishPair(sequence, kv_head, all, gradients);
    }
  });
}

// Several units share a key/value head, each with its own part of dQ.
void BackwardByShares(const AttentionProblem& problem, const PackedKeysAndValues& packed,
                      const BackwardTensors& tensors, const AttentionDropout* dropout,
                      int64_t num_shares, AttentionGradients& gradients) {
  const int64_t num_heads = problem.batch * problem.num_heads;
  const int64_t share_stride = num_heads * problem.query_blocks;
  BlockBuffer parts(num_shares * share_stride, problem.BlockSize() * 4);
  parts.Clear();
  RunWorkers(problem.batch * problem.num_kv_heads * num_shares, [&](WorkQueue& queue) {
    BackwardWorker worker(problem, packed, dropout);
    for (int64_t unit = queue.Take(); unit >= 0; unit = queue.Take()) {
      const int64_t pair = unit / num_shares;
      const KeyShare share{unit % num_shares, num_shares};
      const int64_t sequence = pair / problem.num_kv_heads, kv_head = pair % problem.num_kv_heads;
      worker.StartPair();
      for (int64_t head = kv_head * problem.group; head < (kv_head + 1) * problem.group; ++head)
        worker.AddHead(tensors, sequence, head, share, parts,
                       share.first * share_stride +
                           (sequence * problem.num_heads + head) * problem.query_blocks);
      worker.FinishPair(sequence, kv_head, share, gradients);
    }
  });
  ParallelFor(0, num_heads, 1, [&](int64_t first, int64_t last) {
    for (int64_t head = first; head < last; ++head)
      StoreQueryGradient(problem, parts, head * problem.query_blocks, num_shares, share_stride,
                         head / problem.num_heads, head % problem.num_heads, gradients);
  });
}

}  // namespace

AttentionGradients AttentionBackwardCpu(const at::Tensor& grad_out_BSND, const at::Tensor& q_BSND,
                                        const at::Tensor& k_BLMD, const at::Tensor& v_BLMD,
                                        const AttentionResult& forward,
                                        const AttentionOptions& options) {
  const AttentionProblem problem(q_BSND, k_BLMD, options);
  AttentionGradients gradients{at::empty(q_BSND.sizes(), q_BSND.options()),
                               at::empty(k_BLMD.sizes(), k_BLMD.options()),
                               at::empty(v_BLMD.sizes(), v_BLMD.options())};
  const PackedKeysAndValues packed = Pack(problem, k_BLMD, v_BLMD);
  const BackwardTensors tensors{grad_out_BSND, q_BSND, forward};
  const int64_t num_pairs = problem.batch * problem.num_kv_heads;
  const int64_t num_shares =
      std::min(CeilDivide(at::get_num_threads(), num_pairs), problem.key_blocks);
  if (num_shares <= 1)
    BackwardByPairs(problem, packed, tensors, options.dropout, gradients);
  else
    BackwardByShares(problem, packed, tensors, options.dropout, num_shares, gradients);
  return gradients;
}

}  // namespace hyperpp::kernels

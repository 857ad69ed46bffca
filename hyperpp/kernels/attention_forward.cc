#include <algorithm>
#include <cmath>
#include <limits>

#include <ATen/ops/empty.h>

#include "hyperpp/kernels/attention_cpu.h"
#include "hyperpp/kernels/attention_problem.h"
#include "hyperpp/kernels/block_product.h"
#include "hyperpp/kernels/parallel_for.h"
#include "hyperpp/kernels/work_queue.h"

namespace hyperpp::kernels {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr double kLn2 = 0.6931471805599453;

// Key blocks as left operands: rows of K for S^T = K Q^T, V transposed for O^T = V^T P^T.
struct PackedKeysAndValues {
  BlockBuffer k_rows, v_transposed;  // [B, M, key blocks]
};

PackedKeysAndValues Pack(const AttentionProblem& problem, const at::Tensor& k,
                         const at::Tensor& v) {
  const int64_t bytes = problem.BlockBytes();
  const int64_t num_blocks = problem.batch * problem.num_kv_heads * problem.key_blocks;
  PackedKeysAndValues packed{{num_blocks, bytes}, {num_blocks, bytes}};
  ParallelFor(0, num_blocks, 1, [&](int64_t first, int64_t last) {
    const BlockBuffer v_rows(1, bytes);
    for (int64_t i = first; i < last; ++i) {
      const int64_t block = i % problem.key_blocks, pair = i / problem.key_blocks;
      const int64_t sequence = pair / problem.num_kv_heads, head = pair % problem.num_kv_heads;
      const int64_t tokens = problem.KeyTokens(block);
      problem.layout->load_rows(BlockRows(k, sequence, head, block), tokens, problem.padded_dim,
                                packed.k_rows[i]);
      problem.layout->load_rows(BlockRows(v, sequence, head, block), tokens, problem.padded_dim,
                                v_rows[0]);
      problem.layout->transposed(v_rows[0], tokens, problem.padded_dim, packed.v_transposed[i]);
    }
  });
  return packed;
}

// The memory and the steps of one thread.
class ForwardWorker {
 public:
  ForwardWorker(const AttentionProblem& problem, const PackedKeysAndValues& packed,
                const AttentionDropout* dropout)
      : problem_(problem),
        packed_(packed),
        dropout_(dropout, problem),
        multiply_(problem.bfloat16_blocks),
        q_rows_(1, problem.BlockBytes()),
        q_columns_(1, problem.BlockBytes()),
        scores_(1, kAttentionBlock * kAttentionBlock * 4),
        probabilities_(1, kAttentionBlock * kAttentionBlock * problem.element_bytes),
        out_columns_(1, problem.BlockSize() * 4) {}

  void Run(const at::Tensor& q, int64_t sequence, int64_t head, int64_t query_block,
           AttentionResult& result) {
    const int64_t tokens = problem_.QueryTokens(query_block);
    problem_.layout->load_rows(BlockRows(q, sequence, head, query_block), tokens,
                               problem_.padded_dim, q_rows_[0]);
    problem_.layout->columns(q_rows_[0], tokens, problem_.padded_dim, q_columns_[0]);
    dropout_.SetHead(sequence, head, query_block, query_block + 1);
    std::fill_n(max_, kAttentionBlock, -kInfinity);
    std::fill_n(sum_, kAttentionBlock, 0.0f);
    first_ = true;
    for (int64_t key_block = 0; key_block < problem_.key_blocks; ++key_block) {
      const MaskCover cover = problem_.mask.Cover(sequence, query_block, key_block);
      if (cover == MaskCover::kNone) continue;
      if (cover == MaskCover::kPartial)
        problem_.mask.CountInBlock(sequence, query_block, key_block, begin_, end_);
      AddKeys(sequence, head, query_block, key_block, cover == MaskCover::kPartial);
    }
    if (first_) out_columns_.Clear();
    Finish(sequence, head, query_block, result);
  }

 private:
  void AddKeys(int64_t sequence, int64_t head, int64_t query_block, int64_t key_block,
               bool masked) {
    const int64_t queries = problem_.QueryTokens(query_block);
    const int64_t keys = problem_.KeyTokens(key_block), dim = problem_.padded_dim;
    const int64_t packed =
        (sequence * problem_.num_kv_heads + head / problem_.group) * problem_.key_blocks +
        key_block;
    float* scores = scores_.Floats();
    multiply_({keys, queries, dim, dim, kAttentionBlock, kAttentionBlock}, packed_.k_rows[packed],
              q_columns_[0], scores, false);
    const ScoreBlock block{scores,
                           problem_.scale_log2,
                           keys,
                           queries,
                           masked ? begin_ : nullptr,
                           masked ? end_ : nullptr,
                           dropout_.Block(query_block, key_block)};
    const bool rescale =
        problem_.softmax->step({block, max_, sum_, correction_, probabilities_[0]});
    if (rescale && !first_)
      problem_.softmax->scale_columns(out_columns_.Floats(), correction_, dim, queries);
    multiply_({dim, queries, keys, kAttentionBlock, kAttentionBlock, kAttentionBlock},
              packed_.v_transposed[packed], probabilities_[0], out_columns_.Floats(), !first_);
    first_ = false;
  }

  void Finish(int64_t sequence, int64_t head, int64_t query_block, AttentionResult& result) {
    const MutableHeadRows rows = MutableBlockRows(result.out_BSND, sequence, head, query_block);
    float* lse = result.lse_BNS.mutable_data_ptr<float>() +
                 (sequence * problem_.num_heads + head) * problem_.num_queries +
                 query_block * kAttentionBlock;
    float factors[kAttentionBlock];
    for (int64_t row = 0; row < kAttentionBlock; ++row)
      factors[row] = sum_[row] == 0 ? 0 : 1 / sum_[row];
    for (int64_t row = 0; row < rows.num_rows; ++row)
      lse[row] = sum_[row] == 0
                     ? -kInfinity
                     : static_cast<float>(kLn2 * (max_[row] + std::log2(double{sum_[row]})));
    problem_.layout->store_columns(out_columns_.Floats(), factors, rows);
  }

  const AttentionProblem& problem_;
  const PackedKeysAndValues& packed_;
  HeadDropout dropout_;
  BlockProduct multiply_;
  BlockBuffer q_rows_, q_columns_, scores_, probabilities_, out_columns_;
  float max_[kAttentionBlock], sum_[kAttentionBlock], correction_[kAttentionBlock];
  int32_t begin_[kAttentionBlock], end_[kAttentionBlock];
  bool first_ = true;
};

}  // namespace

AttentionResult AttentionForwardCpu(const at::Tensor& q_BSND, const at::Tensor& k_BLMD,
                                    const at::Tensor& v_BLMD, const AttentionOptions& options) {
  const AttentionProblem problem(q_BSND, k_BLMD, options);
  AttentionResult result{at::empty(q_BSND.sizes(), q_BSND.options()),
                         at::empty({problem.batch, problem.num_heads, problem.num_queries},
                                   q_BSND.options().dtype(at::kFloat))};
  const PackedKeysAndValues packed = Pack(problem, k_BLMD, v_BLMD);
  const int64_t num_units = problem.batch * problem.num_heads * problem.query_blocks;
  RunWorkers(num_units, [&](WorkQueue& queue) {
    ForwardWorker worker(problem, packed, options.dropout);
    for (int64_t unit = queue.Take(); unit >= 0; unit = queue.Take()) {
      // Last query blocks first: under a causal mask they are the largest.
      const int64_t query_block = problem.query_blocks - 1 - unit % problem.query_blocks;
      const int64_t head = unit / problem.query_blocks;
      worker.Run(q_BSND, head / problem.num_heads, head % problem.num_heads, query_block, result);
    }
  });
  return result;
}

}  // namespace hyperpp::kernels

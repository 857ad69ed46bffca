#include "hyperpp/kernels/attention_problem.h"

#include <algorithm>
#include <cstring>

#include <ATen/ops/empty.h>

#include "hyperpp/core/round_up.h"
#include "hyperpp/kernels/attention_dropout.h"
#include "hyperpp/kernels/block_product.h"

namespace hyperpp::kernels {
namespace {

constexpr double kLog2E = 1.4426950408889634;

int64_t NumBlocks(int64_t tokens) { return CeilDivide(tokens, kAttentionBlock); }

const AttentionLayout& LayoutFor(bool bfloat16, bool bfloat16_blocks) {
  if (!bfloat16) return HYPERPP_SELECT_BUILD(kAttentionLayoutFp32);
  return bfloat16_blocks ? HYPERPP_SELECT_BUILD(kAttentionLayoutBf16)
                         : HYPERPP_SELECT_BUILD(kAttentionLayoutBf16AsFp32);
}

}  // namespace

AttentionProblem::AttentionProblem(const at::Tensor& q_BSND, const at::Tensor& k_BLMD,
                                   const AttentionOptions& options)
    : batch(q_BSND.size(0)),
      num_queries(q_BSND.size(1)),
      num_keys(k_BLMD.size(1)),
      num_heads(q_BSND.size(2)),
      num_kv_heads(k_BLMD.size(2)),
      group(num_heads / num_kv_heads),
      head_dim(q_BSND.size(3)),
      padded_dim(RoundUp(head_dim, kDimMultiple)),
      query_blocks(NumBlocks(num_queries)),
      key_blocks(NumBlocks(num_keys)),
      scale(static_cast<float>(options.scale)),
      scale_log2(static_cast<float>(options.scale * kLog2E)),
      bfloat16_blocks(q_BSND.scalar_type() == at::kBFloat16 && HasBfloat16BlockProduct()),
      element_bytes(bfloat16_blocks ? 2 : 4),
      layout(&LayoutFor(q_BSND.scalar_type() == at::kBFloat16, bfloat16_blocks)),
      softmax(bfloat16_blocks ? &HYPERPP_SELECT_BUILD(kAttentionSoftmaxBf16)
                              : &HYPERPP_SELECT_BUILD(kAttentionSoftmaxFp32)),
      mask(options.key_begin_BS, options.key_end_BS, num_keys) {}

int64_t AttentionProblem::Tokens(int64_t size, int64_t block) {
  return RoundUp(std::min(kAttentionBlock, size - block * kAttentionBlock), kTokenMultiple);
}

HeadRows BlockRows(const at::Tensor& x, int64_t sequence, int64_t head, int64_t block) {
  const int64_t first = block * kAttentionBlock;
  const int64_t offset = sequence * x.stride(0) + first * x.stride(1) + head * x.stride(2);
  return {static_cast<const char*>(x.const_data_ptr()) + offset * x.element_size(), x.stride(1),
          std::min(kAttentionBlock, x.size(1) - first), x.size(3)};
}

MutableHeadRows MutableBlockRows(const at::Tensor& x, int64_t sequence, int64_t head,
                                 int64_t block) {
  const int64_t first = block * kAttentionBlock;
  const int64_t offset = sequence * x.stride(0) + first * x.stride(1) + head * x.stride(2);
  return {static_cast<char*>(x.mutable_data_ptr()) + offset * x.element_size(), x.stride(1),
          std::min(kAttentionBlock, x.size(1) - first), x.size(3)};
}

BlockBuffer::BlockBuffer(int64_t num_blocks, int64_t block_bytes)
    : storage_(at::empty({num_blocks * block_bytes}, at::kByte)),
      data_(static_cast<char*>(storage_.mutable_data_ptr())),
      block_bytes_(block_bytes) {}

void BlockBuffer::Clear() { std::memset(data_, 0, storage_.numel()); }

HeadDropout::HeadDropout(const AttentionDropout* dropout, const AttentionProblem& problem)
    : dropout_(dropout), num_queries_(problem.num_queries), num_keys_(problem.num_keys) {
  if (dropout_ == nullptr) return;
  row_low_.resize(problem.query_blocks * kAttentionBlock);
  row_high_.resize(problem.query_blocks * kAttentionBlock);
  block_.threshold = DropoutThreshold(dropout_->probability);
  block_.kept_factor = static_cast<float>(1 / (1 - dropout_->probability));
}

void HeadDropout::SetHead(int64_t sequence, int64_t head, int64_t first_block, int64_t last_block) {
  if (dropout_ == nullptr) return;
  const int64_t sample = dropout_->sample_ids_B.const_data_ptr<int64_t>()[sequence];
  const int32_t* positions = dropout_->query_positions_S.const_data_ptr<int32_t>();
  const int64_t last = std::min(num_queries_, last_block * kAttentionBlock);
  for (int64_t query = first_block * kAttentionBlock; query < last; ++query) {
    const uint64_t row =
        DropoutRow(dropout_->key, sample, dropout_->first_head + head, positions[query]);
    row_low_[query] = static_cast<uint32_t>(row);
    row_high_[query] = static_cast<uint32_t>(row >> 32);
  }
}

const DropoutBlock* HeadDropout::Block(int64_t query_block, int64_t key_block) {
  if (dropout_ == nullptr) return nullptr;
  const int64_t key = key_block * kAttentionBlock;
  block_.row_low = row_low_.data() + query_block * kAttentionBlock;
  block_.row_high = row_high_.data() + query_block * kAttentionBlock;
  block_.key_positions = dropout_->key_positions_L.const_data_ptr<int32_t>() + key;
  block_.num_keys = num_keys_ - key;
  return &block_;
}

}  // namespace hyperpp::kernels

// What the CPU directions of attention share: sizes, the kernels that fit dtype and CPU, and packed
// blocks of keys and values.
#pragma once

#include <cstdint>
#include <vector>

#include <ATen/core/Tensor.h>

#include "hyperpp/kernels/attention.h"
#include "hyperpp/kernels/attention_layout.h"
#include "hyperpp/kernels/attention_mask.h"
#include "hyperpp/kernels/attention_softmax.h"

namespace hyperpp::kernels {

struct AttentionProblem {
  AttentionProblem(const at::Tensor& q_BSND, const at::Tensor& k_BLMD,
                   const AttentionOptions& options);

  int64_t batch, num_queries, num_keys, num_heads, num_kv_heads, group, head_dim, padded_dim;
  int64_t query_blocks, key_blocks;
  float scale, scale_log2;
  bool bfloat16_blocks;
  int64_t element_bytes;  // of a block's element
  const AttentionLayout* layout;
  const AttentionSoftmax* softmax;
  AttentionMask mask;

  /// Elements of one operand block.
  int64_t BlockSize() const { return kAttentionBlock * padded_dim; }
  int64_t BlockBytes() const { return BlockSize() * element_bytes; }

  /// Tokens that the products of a block run over.
  int64_t QueryTokens(int64_t block) const { return Tokens(num_queries, block); }
  int64_t KeyTokens(int64_t block) const { return Tokens(num_keys, block); }

 private:
  static int64_t Tokens(int64_t size, int64_t block);
};

/// Rows of block `block` of head `head`, of a tensor [B, tokens, heads, D].
HeadRows BlockRows(const at::Tensor& x, int64_t sequence, int64_t head, int64_t block);
MutableHeadRows MutableBlockRows(const at::Tensor& x, int64_t sequence, int64_t head,
                                 int64_t block);

/// Memory for blocks, one after the other.
class BlockBuffer {
 public:
  BlockBuffer(int64_t num_blocks, int64_t block_bytes);

  void* operator[](int64_t block) const { return data_ + block * block_bytes_; }
  float* Floats(int64_t block = 0) const { return static_cast<float*>((*this)[block]); }
  void Clear();

 private:
  at::Tensor storage_;
  char* data_;
  int64_t block_bytes_;
};

/// Hashes of the query rows of one head and the dropout of its blocks; see attention_dropout.h.
class HeadDropout {
 public:
  /// `dropout` may be null: then Block returns null.
  HeadDropout(const AttentionDropout* dropout, const AttentionProblem& problem);

  void SetHead(int64_t sequence, int64_t head, int64_t first_block, int64_t last_block);

  /// Returns the dropout of a block, valid until the next call.
  const DropoutBlock* Block(int64_t query_block, int64_t key_block);

 private:
  const AttentionDropout* dropout_;
  int64_t num_queries_, num_keys_;
  std::vector<uint32_t> row_low_, row_high_;
  DropoutBlock block_{};
};

}  // namespace hyperpp::kernels

// Which keys each query sees, by blocks: an interval of keys per query row.
//
//     keys        0    64   128  192          causal, window 128, blocks of 64
//     queries 0   part
//             64  full part                   none: skipped, full: no comparison,
//             128 part full part              part: compared key by key
//             192      part full part
#pragma once

#include <cstdint>
#include <vector>

#include <ATen/core/Tensor.h>

#include "hyperpp/kernels/attention_layout.h"

namespace hyperpp::kernels {

enum class MaskCover { kNone, kPartial, kFull };

class AttentionMask {
 public:
  /// Intervals are cut to [0, num_keys). Shapes: [B, S], int32.
  AttentionMask(const at::Tensor& key_begin_BS, const at::Tensor& key_end_BS, int64_t num_keys);

  /// Returns how many of the block's keys its queries see. A block with fewer keys than
  /// kAttentionBlock is never full.
  MaskCover Cover(int64_t sequence, int64_t query_block, int64_t key_block) const;

  bool IsEmpty(int64_t sequence, int64_t query) const;

  /// Writes [kAttentionBlock] intervals counted from the block's first key; rows behind the last
  /// query are empty.
  void CountInBlock(int64_t sequence, int64_t query_block, int64_t key_block, int32_t* begin,
                    int32_t* end) const;

 private:
  struct Bounds {
    int32_t min_begin, max_begin, min_end, max_end;
  };

  int64_t num_queries_, num_query_blocks_;
  std::vector<int32_t> begin_, end_;  // [B, S]
  std::vector<Bounds> bounds_;        // [B, query blocks]
};

}  // namespace hyperpp::kernels

#include "hyperpp/kernels/attention_mask.h"

#include <algorithm>
#include <limits>

namespace hyperpp::kernels {
namespace {

std::vector<int32_t> CutTo(const at::Tensor& keys_BS, int64_t num_keys) {
  const at::Tensor keys = keys_BS.contiguous();
  const int32_t* data = keys.const_data_ptr<int32_t>();
  std::vector<int32_t> cut(data, data + keys.numel());
  for (int32_t& key : cut) key = std::clamp(key, 0, static_cast<int32_t>(num_keys));
  return cut;
}

}  // namespace

AttentionMask::AttentionMask(const at::Tensor& key_begin_BS, const at::Tensor& key_end_BS,
                             int64_t num_keys)
    : num_queries_(key_begin_BS.size(1)),
      num_query_blocks_((num_queries_ + kAttentionBlock - 1) / kAttentionBlock),
      begin_(CutTo(key_begin_BS, num_keys)),
      end_(CutTo(key_end_BS, num_keys)) {
  constexpr int32_t kLargest = std::numeric_limits<int32_t>::max();
  for (int64_t sequence = 0; sequence < key_begin_BS.size(0); ++sequence) {
    for (int64_t block = 0; block < num_query_blocks_; ++block) {
      Bounds bounds{kLargest, 0, kLargest, 0};
      const int64_t first = block * kAttentionBlock;
      const int64_t last = std::min(num_queries_, first + kAttentionBlock);
      for (int64_t i = sequence * num_queries_ + first; i < sequence * num_queries_ + last; ++i) {
        if (begin_[i] >= end_[i]) begin_[i] = end_[i] = 0;
        bounds = {std::min(bounds.min_begin, begin_[i]), std::max(bounds.max_begin, begin_[i]),
                  std::min(bounds.min_end, end_[i]), std::max(bounds.max_end, end_[i])};
      }
      bounds_.push_back(bounds);
    }
  }
}

MaskCover AttentionMask::Cover(int64_t sequence, int64_t query_block, int64_t key_block) const {
  const Bounds& bounds = bounds_[sequence * num_query_blocks_ + query_block];
  const int64_t first = key_block * kAttentionBlock, last = first + kAttentionBlock;
  if (bounds.max_begin <= first && last <= bounds.min_end) return MaskCover::kFull;
  if (bounds.max_end <= first || last <= bounds.min_begin) return MaskCover::kNone;
  const int64_t query = query_block * kAttentionBlock;
  const int64_t num_rows = std::min(kAttentionBlock, num_queries_ - query);
  for (int64_t i = sequence * num_queries_ + query, end = i + num_rows; i < end; ++i)
    if (begin_[i] < last && first < end_[i]) return MaskCover::kPartial;
  return MaskCover::kNone;
}

bool AttentionMask::IsEmpty(int64_t sequence, int64_t query) const {
  const int64_t i = sequence * num_queries_ + query;
  return begin_[i] == end_[i];
}

void AttentionMask::CountInBlock(int64_t sequence, int64_t query_block, int64_t key_block,
                                 int32_t* begin, int32_t* end) const {
  const int32_t first = static_cast<int32_t>(key_block * kAttentionBlock);
  for (int64_t row = 0; row < kAttentionBlock; ++row) {
    const int64_t query = query_block * kAttentionBlock + row;
    const bool exists = query < num_queries_;
    begin[row] = exists ? begin_[sequence * num_queries_ + query] - first : 0;
    end[row] = exists ? end_[sequence * num_queries_ + query] - first : 0;
  }
}

}  // namespace hyperpp::kernels

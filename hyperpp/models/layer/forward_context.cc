#include "hyperpp/models/layer/forward_context.h"

#include <algorithm>
#include <utility>

#include <ATen/ops/empty.h>

namespace hyperpp::models {

AttentionSpans::AttentionSpans(at::Tensor document_starts_BS, int64_t query_offset)
    : document_starts_BS_(std::move(document_starts_BS)), query_offset_(query_offset) {}

const AttentionSpans::Interval& AttentionSpans::For(int64_t window) {
  const auto found = intervals_.find(window);
  if (found != intervals_.end()) return found->second;
  const at::Tensor starts = document_starts_BS_.cpu().contiguous();
  const int64_t batch = starts.size(0), sequence = starts.size(1);
  at::Tensor begin = at::empty_like(starts), end = at::empty_like(starts);
  const int32_t* start = starts.const_data_ptr<int32_t>();
  auto* first = begin.mutable_data_ptr<int32_t>();
  auto* last = end.mutable_data_ptr<int32_t>();
  for (int64_t i = 0; i < batch * sequence; ++i) {
    const int64_t position = query_offset_ + i % sequence;
    last[i] = static_cast<int32_t>(position + 1);
    const int64_t reach = window > 0 ? position + 1 - window : 0;
    first[i] = static_cast<int32_t>(std::max<int64_t>(reach, start[i]));
  }
  const at::Device device = document_starts_BS_.device();
  return intervals_.emplace(window, Interval{begin.to(device), end.to(device)}).first->second;
}

}  // namespace hyperpp::models

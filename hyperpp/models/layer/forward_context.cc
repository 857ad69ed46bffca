#include "hyperpp/models/layer/forward_context.h"

#include <utility>

#include <ATen/ops/arange.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>

namespace hyperpp::models {

AttentionSpans::AttentionSpans(at::Tensor document_starts_BL, at::Device device)
    : AttentionSpans(document_starts_BL, at::arange(document_starts_BL.size(1), at::kInt), device) {
}

AttentionSpans::AttentionSpans(at::Tensor document_starts_BL, at::Tensor query_indices_S,
                               at::Device device)
    : document_starts_BL_(document_starts_BL.contiguous()),
      query_indices_S_(std::move(query_indices_S)),
      device_(device) {}

AttentionSpans::Kept AttentionSpans::MakeInterval(int64_t window,
                                                  const at::Tensor& query_indices_S) const {
  const int64_t batch = document_starts_BL_.size(0), queries = query_indices_S.numel();
  const int64_t length = sequence_length();
  at::Tensor begin = at::empty({batch, queries}, at::kInt), end = at::empty_like(begin);
  const int32_t* start = document_starts_BL_.const_data_ptr<int32_t>();
  const int32_t* index = query_indices_S.const_data_ptr<int32_t>();
  auto* first = begin.mutable_data_ptr<int32_t>();
  auto* last = end.mutable_data_ptr<int32_t>();
  for (int64_t b = 0; b < batch; ++b) {
    for (int64_t s = 0; s < queries; ++s) {
      const int64_t reach = window > 0 ? index[s] + 1 - window : 0;
      *first++ = static_cast<int32_t>(std::max<int64_t>(reach, start[b * length + index[s]]));
      *last++ = index[s] + 1;
    }
  }
  return {{begin, end}, {begin.to(device_), end.to(device_)}};
}

const AttentionSpans::Kept& AttentionSpans::OfQueries(int64_t window) {
  const auto found = of_queries_.find(window);
  if (found != of_queries_.end()) return found->second;
  return of_queries_.emplace(window, MakeInterval(window, query_indices_S_)).first->second;
}

const AttentionSpans::Interval& AttentionSpans::For(int64_t window) {
  return OfQueries(window).on_device;
}

const AttentionSpans::Interval& AttentionSpans::ForAllTokens(int64_t window) {
  const auto found = of_all_tokens_.find(window);
  if (found != of_all_tokens_.end()) return found->second.on_device;
  const at::Tensor all = at::arange(sequence_length(), at::kInt);
  return of_all_tokens_.emplace(window, MakeInterval(window, all)).first->second.on_device;
}

AttentionSpans::QueryRange AttentionSpans::QueriesThatMeet(int64_t window, int64_t first_key,
                                                           int64_t end_key) {
  const Interval& interval = OfQueries(window).on_host;
  const int64_t batch = interval.begin_BS.size(0), queries = interval.begin_BS.size(1);
  const auto* begins = interval.begin_BS.const_data_ptr<int32_t>();
  const auto* ends = interval.end_BS.const_data_ptr<int32_t>();
  const auto meets = [&](int64_t query) {
    for (int64_t i = query; i < batch * queries; i += queries)
      if (std::max<int64_t>(begins[i], first_key) < std::min<int64_t>(ends[i], end_key))
        return true;
    return false;
  };
  QueryRange range{0, queries};
  while (range.first < range.end && !meets(range.first)) ++range.first;
  while (range.first < range.end && !meets(range.end - 1)) --range.end;
  return range;
}

}  // namespace hyperpp::models

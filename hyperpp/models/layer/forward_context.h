// What a forward pass needs beside hidden states: where each token stands, and what it may attend
// to. Made per microbatch from the samples; never differentiated, never sent between stages.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>

#include <ATen/core/Tensor.h>

#include "hyperpp/kernels/rotary.h"

namespace hyperpp::models {

/// Key intervals of every query row for causal attention, by sliding window.
///
/// A token may attend to keys from its document's start (and at most `window` back) up to itself.
/// Queries and keys are named by their index in the whole sequence. The queries are the same
/// indices of every sequence: all of them, those behind a cache, or those that a context-parallel
/// rank holds.
class AttentionSpans {
 public:
  /// document_starts_BL: int32, on the host, index of the first token of each token's document. All
  /// tokens are queries. `device`: where intervals are wanted.
  explicit AttentionSpans(at::Tensor document_starts_BL, at::Device device = at::kCPU);
  /// query_indices_S: int32, on the host.
  AttentionSpans(at::Tensor document_starts_BL, at::Tensor query_indices_S,
                 at::Device device = at::kCPU);

  const at::Tensor& query_indices_S() const { return query_indices_S_; }
  /// L, the number of tokens of a whole sequence.
  int64_t sequence_length() const { return document_starts_BL_.size(1); }

  struct Interval {
    at::Tensor begin_BS, end_BS;  // int32
  };
  /// Intervals of the queries for a window of `window` tokens, 0 for no window; made once and kept.
  const Interval& For(int64_t window);
  /// Intervals of all tokens of the sequences, [B, L].
  const Interval& ForAllTokens(int64_t window);

  struct QueryRange {
    int64_t first = 0, end = 0;  // rows of the queries, half open
  };
  /// The smallest range of queries that holds all whose interval meets keys [first_key, end_key);
  /// empty if there are none.
  QueryRange QueriesThatMeet(int64_t window, int64_t first_key, int64_t end_key);

 private:
  struct Kept {
    Interval on_host, on_device;
  };
  Kept MakeInterval(int64_t window, const at::Tensor& query_indices_S) const;
  const Kept& OfQueries(int64_t window);

  at::Tensor document_starts_BL_, query_indices_S_;
  at::Device device_;
  std::map<int64_t, Kept> of_queries_, of_all_tokens_;
};

/// Keys and values of earlier tokens during generation; one entry per layer.
struct KeyValueCache {
  int64_t length = 0;                              // tokens already in the cache
  std::vector<at::Tensor> keys_BLMD, values_BLMD;  // by layer, room for the longest sequence
};

/// Identifies the dropout masks of a pass; see kernels/attention.h.
struct DropoutContext {
  uint64_t seed = 0, step = 0;
  at::Tensor sample_ids_B;  // int64, on the host: index in the step's global batch
};

struct ForwardContext {
  int64_t batch = 0, sequence = 0;  // B, S; T = B * S tokens of this rank, row-major
  kernels::RotaryTables rotary;
  std::shared_ptr<AttentionSpans> spans;
  std::optional<DropoutContext> dropout;  // training with dropout only
  KeyValueCache* cache = nullptr;         // generation only
};

}  // namespace hyperpp::models

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
/// Query row s stands at index `query_offset + s` of its sequence, and may attend to keys from its
/// document's start (and at most `window` back) up to itself.
class AttentionSpans {
 public:
  /// document_starts_BS: int32, index of the first token of each position's document.
  explicit AttentionSpans(at::Tensor document_starts_BS, int64_t query_offset = 0);

  struct Interval {
    at::Tensor begin_BS, end_BS;  // int32
  };
  /// Intervals for a window of `window` tokens, 0 for no window; made once and kept.
  const Interval& For(int64_t window);

 private:
  at::Tensor document_starts_BS_;
  int64_t query_offset_;
  std::map<int64_t, Interval> intervals_;
};

/// Keys and values of earlier tokens during generation; one entry per layer.
struct KeyValueCache {
  int64_t length = 0;                              // tokens already in the cache
  std::vector<at::Tensor> keys_BLMD, values_BLMD;  // by layer, room for the longest sequence
};

/// Identifies the dropout masks of a pass; see kernels/attention.h.
struct DropoutContext {
  uint64_t seed = 0, step = 0;
  at::Tensor sample_ids_B;  // int64, index in the step's global batch
  at::Tensor positions_S;   // int32, global index in the sequence
};

struct ForwardContext {
  int64_t batch = 0, sequence = 0;  // B, S; T = B * S tokens, row-major
  kernels::RotaryTables rotary;
  std::shared_ptr<AttentionSpans> spans;
  std::optional<DropoutContext> dropout;  // training with dropout only
  KeyValueCache* cache = nullptr;         // generation only
};

}  // namespace hyperpp::models

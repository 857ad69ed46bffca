// What attention does between its projections: queries, keys and values of this rank's tokens in,
// attended values of the same tokens out, and the way back.
//
// LocalAttention holds whole sequences, and is one call of the kernel. Context parallelism has
// others, which fetch keys and values of the tokens that other ranks hold (parallel/context/).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include <ATen/core/Tensor.h>

#include "hyperpp/kernels/attention.h"
#include "hyperpp/models/layer/forward_context.h"

namespace hyperpp::models {

/// What a pass depends on beside its tensors. Owns what it names.
struct AttentionRequest {
  double scale = 1;
  int64_t window = 0;  // 0: none
  std::shared_ptr<AttentionSpans> spans;
  /// Probability 0: no dropout. Positions are left to the core, which knows them.
  kernels::AttentionDropout dropout;
};

struct AttentionPass {
  at::Tensor out_BSND;  // contiguous
  /// Gradient of the output (contiguous) -> gradients of q, k and v. Called at most once.
  std::function<kernels::AttentionGradients(const at::Tensor& grad_out_BSND)> backward;
};

class AttentionCore {
 public:
  virtual ~AttentionCore() = default;

  /// Shapes: q_BSND, k_BSMD, v_BSMD of this rank's tokens, without history.
  /// Collective: the ranks that share the sequences, also in the backward.
  virtual AttentionPass Run(const at::Tensor& q_BSND, const at::Tensor& k_BSMD,
                            const at::Tensor& v_BSMD, const AttentionRequest& request) const = 0;
};

/// Attention where this rank holds all keys and values: of whole sequences, or in its cache.
class LocalAttention final : public AttentionCore {
 public:
  AttentionPass Run(const at::Tensor& q_BSND, const at::Tensor& k_BLMD, const at::Tensor& v_BLMD,
                    const AttentionRequest& request) const override;
};

/// One call of the kernel: which queries and keys it runs over, by their index in the sequence.
struct AttentionRows {
  AttentionSpans::Interval keys_of_query;         // counted from the call's first key
  at::Tensor query_positions_S, key_positions_L;  // int32, on the host; read for dropout alone
};

/// Options of a kernel call, which own what they point to.
class AttentionCall {
 public:
  AttentionCall(const AttentionRequest& request, const AttentionRows& rows);

  const kernels::AttentionOptions& options() const { return options_; }

 private:
  std::shared_ptr<kernels::AttentionDropout> dropout_;
  kernels::AttentionOptions options_;
};

}  // namespace hyperpp::models

// Context-parallel attention in which blocks of keys and values travel around a ring of ranks.
//
// A block is what one rank holds of keys and values. In tick i rank r computes with the block of
// rank r - i, while it sends that block on to r + 1 and receives the next one from r - 1:
//
//     tick       0      1      2      3            4 ranks, block of rank
//     rank 0     0      3      2      1
//     rank 1     1      0      3      2            results of the ticks are merged by log-sum-exp
//     rank 2     2      1      0      3            (merge_attention.h)
//     rank 3     3      2      1      0
//
// In the backward pass keys and values make the same round, and each block's gradient follows one
// rank behind: who has computed with a block adds its part to what came from the rank before, and
// sends the sum (fp32) on; after the last tick it is one rank away from its owner. The part of the
// owner itself stays at home and is added at the end.
//
//     rank 0     own    3 ->   2+ ->  1++ ->       then receives 0+++ from rank 3
//
// A block is one or two runs of consecutive tokens; for each run only the queries that can see any
// of it are computed, and none where the causal mask, a window or the documents hide it.
//
// Source: Ring Attention, arXiv:2310.01889; head-tail balance: arXiv:2311.09431.
#pragma once

#include "hyperpp/comm/group.h"
#include "hyperpp/models/layer/attention_core.h"
#include "hyperpp/parallel/context/sequence_cut.h"

namespace hyperpp::parallel {

class RingAttention final : public models::AttentionCore {
 public:
  /// `group`: the ranks that share sequences, in the order of `cut`; outlives the core.
  RingAttention(comm::Group& group, const SequenceCut& cut) : group_(group), cut_(cut) {}

  models::AttentionPass Run(const at::Tensor& q_BSND, const at::Tensor& k_BSMD,
                            const at::Tensor& v_BSMD,
                            const models::AttentionRequest& request) const override;

 private:
  comm::Group& group_;
  const SequenceCut cut_;
};

}  // namespace hyperpp::parallel

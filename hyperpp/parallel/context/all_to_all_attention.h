// Context-parallel attention that exchanges tokens for heads, and back.
//
//                 tokens of rank          all-to-all           heads of rank
//     q, k, v   [B, L/C, heads, D]     ------------->     [B, L, heads/C, D]
//                                                              attention of whole sequences
//     out       [B, L/C, heads, D]     <-------------     [B, L, heads/C, D]
//
// Each rank runs plain attention on whole sequences, for its part of the heads; the order of tokens
// does not matter to what travels. C must divide the heads of queries and of keys, which the plan
// has checked.
//
// Source: DeepSpeed-Ulysses, arXiv:2309.14509.
#pragma once

#include "hyperpp/comm/group.h"
#include "hyperpp/models/layer/attention_core.h"
#include "hyperpp/parallel/context/sequence_cut.h"

namespace hyperpp::parallel {

class AllToAllAttention final : public models::AttentionCore {
 public:
  /// `group`: the ranks that share sequences, in the order of `cut`; outlives the core.
  AllToAllAttention(comm::Group& group, const SequenceCut& cut) : group_(group), cut_(cut) {}

  models::AttentionPass Run(const at::Tensor& q_BSND, const at::Tensor& k_BSMD,
                            const at::Tensor& v_BSMD,
                            const models::AttentionRequest& request) const override;

 private:
  comm::Group& group_;
  const SequenceCut cut_;
};

}  // namespace hyperpp::parallel

// Context-parallel attention that brings all keys and values to every rank.
//
//     forward    all-gather k, v  ->  whole sequence in its order  ->  attention of my queries
//     backward   all-gather k, v  ->  gradients of all keys and values from my queries
//                reduce-scatter dk, dv (fp32)  ->  gradients of my keys and values
//
// Queries stay where they are: each has one interval of keys in the whole sequence, whatever the
// cut, so that masks need no special case. Gathered keys and values live for the time of one call;
// the backward pass gathers them again instead of keeping them for every layer.
//
// Source: Llama 3, arXiv:2407.21783, section 3.3.2.
#pragma once

#include "hyperpp/comm/group.h"
#include "hyperpp/models/layer/attention_core.h"
#include "hyperpp/parallel/context/sequence_cut.h"

namespace hyperpp::parallel {

class AllGatherAttention final : public models::AttentionCore {
 public:
  /// `group`: the ranks that share sequences, in the order of `cut`; outlives the core.
  AllGatherAttention(comm::Group& group, const SequenceCut& cut) : group_(group), cut_(cut) {}

  models::AttentionPass Run(const at::Tensor& q_BSND, const at::Tensor& k_BSMD,
                            const at::Tensor& v_BSMD,
                            const models::AttentionRequest& request) const override;

 private:
  comm::Group& group_;
  const SequenceCut cut_;
};

}  // namespace hyperpp::parallel

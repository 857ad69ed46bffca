#include "hyperpp/parallel/context/all_to_all_attention.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty_like.h>

#include "hyperpp/core/error.h"
#include "hyperpp/parallel/context/sequence_order.h"

namespace hyperpp::parallel {
namespace {

using kernels::AttentionGradients;

// The two directions of the exchange. Several tensors travel as one, along the heads.
class Exchange {
 public:
  Exchange(comm::Group& group, const SequenceCut& cut) : group_(group), cut_(cut) {}

  /// Tensors [B, S, N_i, D] of this rank's tokens -> [B, L, N_i / C, D] of this rank's heads.
  std::vector<at::Tensor> ToHeads(const std::vector<at::Tensor>& of_tokens) const {
    std::vector<at::Tensor> by_owner;
    std::vector<int64_t> num_heads;
    for (const at::Tensor& x : of_tokens) {
      num_heads.push_back(x.size(2) / group_.size());
      by_owner.push_back(
          x.unflatten(2, {group_.size(), num_heads.back()}).permute({2, 0, 1, 3, 4}));
    }
    const at::Tensor whole = ToSequenceOrder(AllToAll(at::cat(by_owner, 3)), cut_);
    return whole.split_with_sizes(num_heads, 2);
  }

  /// The way back.
  std::vector<at::Tensor> ToTokens(const std::vector<at::Tensor>& of_heads) const {
    std::vector<int64_t> num_heads;
    for (const at::Tensor& x : of_heads) num_heads.push_back(x.size(2));
    const at::Tensor by_heads = AllToAll(ToRankOrder(at::cat(of_heads, 2), cut_));
    std::vector<at::Tensor> of_tokens;
    for (const at::Tensor& x : by_heads.split_with_sizes(num_heads, 3))
      of_tokens.push_back(x.permute({1, 2, 0, 3, 4}).flatten(2, 3).contiguous());
    return of_tokens;
  }

 private:
  // Part r of dim 0 goes to rank r.
  at::Tensor AllToAll(const at::Tensor& parts) const {
    const std::vector<int64_t> counts(group_.size(), 1);
    const at::Tensor send = parts.contiguous(), receive = at::empty_like(send);
    group_.AllToAll(receive, send, counts, counts)->Wait();
    return receive;
  }

  comm::Group& group_;
  const SequenceCut cut_;
};

}  // namespace

models::AttentionPass AllToAllAttention::Run(const at::Tensor& q_BSND, const at::Tensor& k_BSMD,
                                             const at::Tensor& v_BSMD,
                                             const models::AttentionRequest& request) const {
  HYPERPP_CHECK_EQ(q_BSND.size(2) % group_.size(), 0, "query heads {}", q_BSND.size(2));
  HYPERPP_CHECK_EQ(k_BSMD.size(2) % group_.size(), 0, "key heads {}", k_BSMD.size(2));
  const Exchange exchange(group_, cut_);
  const auto qkv = exchange.ToHeads({q_BSND, k_BSMD, v_BSMD});
  models::AttentionRequest of_heads = request;
  of_heads.dropout.first_head += group_.rank() * qkv[0].size(2);
  const at::Tensor positions = at::arange(request.spans->sequence_length(), at::kInt);
  const models::AttentionCall call(
      of_heads, {request.spans->ForAllTokens(request.window), positions, positions});
  const auto result = kernels::AttentionForward(qkv[0], qkv[1], qkv[2], call.options());
  return {
      exchange.ToTokens({result.out_BSND})[0],
      [qkv, result, call, exchange](const at::Tensor& grad_out_BSND) {
        const at::Tensor grad_out = exchange.ToHeads({grad_out_BSND})[0];
        const AttentionGradients gradients =
            kernels::AttentionBackward(grad_out, qkv[0], qkv[1], qkv[2], result, call.options());
        const auto mine = exchange.ToTokens({gradients.q_BSND, gradients.k_BLMD, gradients.v_BLMD});
        return AttentionGradients{mine[0], mine[1], mine[2]};
      }};
}

}  // namespace hyperpp::parallel

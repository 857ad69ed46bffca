#include "hyperpp/parallel/context/all_gather_attention.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>

#include "hyperpp/parallel/context/sequence_order.h"

namespace hyperpp::parallel {
namespace {

using kernels::AttentionGradients;

// Keys and values travel as one tensor, along the batch.
struct KeysAndValues {
  at::Tensor k, v;
};

KeysAndValues Halves(const at::Tensor& kv) {
  const int64_t batch = kv.size(0) / 2;
  return {kv.narrow(0, 0, batch), kv.narrow(0, batch, batch)};
}

KeysAndValues Gather(const KeysAndValues& local_BSMD, comm::Group& group, const SequenceCut& cut) {
  const at::Tensor mine = at::cat({local_BSMD.k, local_BSMD.v}, 0);
  std::vector<int64_t> shape = mine.sizes().vec();
  shape.insert(shape.begin(), cut.degree());
  const at::Tensor parts = at::empty(shape, mine.options());
  group.AllGather(parts, mine)->Wait();
  return Halves(ToSequenceOrder(parts, cut));
}

// Sums the gradients of all ranks in fp32, and returns those of this rank's keys and values.
KeysAndValues SumAndScatter(const AttentionGradients& whole, comm::Group& group,
                            const SequenceCut& cut) {
  const at::Tensor kv = at::cat({whole.k_BLMD, whole.v_BLMD}, 0);
  const at::Tensor parts = ToRankOrder(kv.to(at::kFloat), cut);
  const at::Tensor mine = at::empty_like(parts[0]);
  group.ReduceScatter(mine, parts)->Wait();
  return Halves(mine.to(kv.scalar_type()));
}

}  // namespace

models::AttentionPass AllGatherAttention::Run(const at::Tensor& q_BSND, const at::Tensor& k_BSMD,
                                              const at::Tensor& v_BSMD,
                                              const models::AttentionRequest& request) const {
  models::AttentionSpans& spans = *request.spans;
  const models::AttentionCall call(request, {spans.For(request.window), spans.query_indices_S(),
                                             at::arange(spans.sequence_length(), at::kInt)});
  const KeysAndValues local{k_BSMD, v_BSMD};
  const KeysAndValues whole = Gather(local, group_, cut_);
  const auto result = kernels::AttentionForward(q_BSND, whole.k, whole.v, call.options());
  return {result.out_BSND,
          [q_BSND, local, result, call, &group = group_, cut = cut_](const at::Tensor& grad_out) {
            const KeysAndValues again = Gather(local, group, cut);
            const AttentionGradients gradients = kernels::AttentionBackward(
                grad_out, q_BSND, again.k, again.v, result, call.options());
            const KeysAndValues mine = SumAndScatter(gradients, group, cut);
            return AttentionGradients{gradients.q_BSND, mine.k, mine.v};
          }};
}

}  // namespace hyperpp::parallel

#include "hyperpp/parallel/context/ring_attention.h"

#include <utility>

#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/zeros.h>

#include "hyperpp/parallel/context/merge_attention.h"

namespace hyperpp::parallel {
namespace {

using kernels::AttentionGradients;
using kernels::AttentionResult;

constexpr int kBlockTag = 0, kGradientTag = 1;

// Sends one tensor to the next rank while the same of the rank before comes in.
class Shift {
 public:
  Shift(comm::Group& group, const at::Tensor& outgoing, int tag)
      : incoming_(at::empty_like(outgoing)) {
    const int size = group.size();
    send_ = group.Send(outgoing, (group.rank() + 1) % size, tag);
    receive_ = group.Receive(incoming_, (group.rank() + size - 1) % size, tag);
  }

  at::Tensor Wait() {
    send_->Wait();
    receive_->Wait();
    return incoming_;
  }

 private:
  at::Tensor incoming_;
  comm::WorkPtr send_, receive_;
};

// Keys and values of one rank, along the batch: [2 B, S, M, D].
at::Tensor MakeBlock(const at::Tensor& k_BSMD, const at::Tensor& v_BSMD) {
  return at::cat({k_BSMD, v_BSMD}, 0);
}
at::Tensor KeysOf(const at::Tensor& block) { return block.narrow(0, 0, block.size(0) / 2); }
at::Tensor ValuesOf(const at::Tensor& block) {
  return block.narrow(0, block.size(0) / 2, block.size(0) / 2);
}

// Calls `compute(owner, block)` with the blocks of all ranks, the own one first.
template <typename Compute>
void ForEachBlock(at::Tensor block, comm::Group& group, const Compute& compute) {
  const int size = group.size();
  for (int tick = 0; tick < size; ++tick) {
    std::optional<Shift> shift;
    if (tick + 1 < size) shift.emplace(group, block, kBlockTag);
    compute((group.rank() - tick + size) % size, block);
    if (shift) block = shift->Wait();
  }
}

// A kernel call of the queries that can see some of a run of consecutive keys.
struct RunCall {
  int64_t first_key, num_keys;       // rows of the block
  int64_t first_query, num_queries;  // rows of this rank
  models::AttentionCall call;

  at::Tensor Keys(const at::Tensor& x) const { return x.narrow(1, first_key, num_keys); }
  at::Tensor Queries(const at::Tensor& x) const { return x.narrow(1, first_query, num_queries); }
  AttentionResult Queries(const AttentionResult& result) const {
    return {Queries(result.out_BSND), result.lse_BNS.narrow(2, first_query, num_queries)};
  }
};

// The calls that attention to the block of `owner` takes.
std::vector<RunCall> CallsFor(int owner, const SequenceCut& cut,
                              const models::AttentionRequest& request) {
  models::AttentionSpans& spans = *request.spans;
  const models::AttentionSpans::Interval& keys = spans.For(request.window);
  std::vector<RunCall> calls;
  int64_t first_key = 0;
  for (const TokenRange& run : cut.ChunksOf(owner, spans.sequence_length())) {
    const auto queries = spans.QueriesThatMeet(request.window, run.begin, run.end);
    const int64_t num_queries = queries.end - queries.first;
    if (num_queries > 0) {
      const auto from_run = [&](const at::Tensor& key_BS) {
        return key_BS.narrow(1, queries.first, num_queries) - run.begin;
      };
      calls.push_back({first_key, run.length(), queries.first, num_queries,
                       models::AttentionCall(
                           request, {{from_run(keys.begin_BS), from_run(keys.end_BS)},
                                     spans.query_indices_S().narrow(0, queries.first, num_queries),
                                     at::arange(run.begin, run.end, at::kInt)})});
    }
    first_key += run.length();
  }
  return calls;
}

AttentionResult Forward(const at::Tensor& q_BSND, const at::Tensor& own_block,
                        const models::AttentionRequest& request, comm::Group& group,
                        const SequenceCut& cut) {
  AttentionResult merged = AttentionOverNothing(q_BSND);
  ForEachBlock(own_block, group, [&](int owner, const at::Tensor& block) {
    for (const RunCall& run : CallsFor(owner, cut, request)) {
      const AttentionResult part =
          kernels::AttentionForward(run.Queries(q_BSND), run.Keys(KeysOf(block)),
                                    run.Keys(ValuesOf(block)), run.call.options());
      MergeAttention(run.Queries(merged), part);
    }
  });
  merged.out_BSND = merged.out_BSND.to(q_BSND.scalar_type());
  return merged;
}

AttentionGradients Backward(const at::Tensor& grad_out_BSND, const at::Tensor& q_BSND,
                            const at::Tensor& own_block, const AttentionResult& merged,
                            const models::AttentionRequest& request, comm::Group& group,
                            const SequenceCut& cut) {
  const auto fp32 = q_BSND.options().dtype(at::kFloat);
  const at::Tensor grad_q = at::zeros(q_BSND.sizes(), fp32);
  at::Tensor grad_of_own_block;
  std::optional<Shift> travelling;  // gradients of a block, behind it
  ForEachBlock(own_block, group, [&](int owner, const at::Tensor& block) {
    const at::Tensor grad_block = at::zeros(block.sizes(), fp32);
    for (const RunCall& run : CallsFor(owner, cut, request)) {
      AttentionResult forward = run.Queries(merged);
      forward.lse_BNS = forward.lse_BNS.contiguous();
      const AttentionGradients part = kernels::AttentionBackward(
          run.Queries(grad_out_BSND), run.Queries(q_BSND), run.Keys(KeysOf(block)),
          run.Keys(ValuesOf(block)), forward, run.call.options());
      run.Queries(grad_q).add_(part.q_BSND);
      run.Keys(KeysOf(grad_block)).add_(part.k_BLMD);
      run.Keys(ValuesOf(grad_block)).add_(part.v_BLMD);
    }
    if (owner == group.rank()) {
      grad_of_own_block = grad_block;
      return;
    }
    if (travelling) grad_block.add_(travelling->Wait());
    travelling.emplace(group, grad_block, kGradientTag);
  });
  if (travelling) grad_of_own_block.add_(travelling->Wait());
  const auto dtype = q_BSND.scalar_type();
  return {grad_q.to(dtype), KeysOf(grad_of_own_block).to(dtype),
          ValuesOf(grad_of_own_block).to(dtype)};
}

}  // namespace

models::AttentionPass RingAttention::Run(const at::Tensor& q_BSND, const at::Tensor& k_BSMD,
                                         const at::Tensor& v_BSMD,
                                         const models::AttentionRequest& request) const {
  const at::Tensor block = MakeBlock(k_BSMD, v_BSMD);
  const AttentionResult merged = Forward(q_BSND, block, request, group_, cut_);
  return {merged.out_BSND, [q_BSND, block, merged, request, &group = group_,
                            cut = cut_](const at::Tensor& grad_out_BSND) {
            return Backward(grad_out_BSND, q_BSND, block, merged, request, group, cut);
          }};
}

}  // namespace hyperpp::parallel

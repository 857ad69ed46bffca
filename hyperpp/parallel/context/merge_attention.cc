#include "hyperpp/parallel/context/merge_attention.h"

#include <limits>

#include <ATen/ops/full.h>
#include <ATen/ops/logaddexp.h>
#include <ATen/ops/zeros.h>

namespace hyperpp::parallel {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

kernels::AttentionResult AttentionOverNothing(const at::Tensor& q_BSND) {
  const auto options = q_BSND.options().dtype(at::kFloat);
  return {at::zeros(q_BSND.sizes(), options),
          at::full({q_BSND.size(0), q_BSND.size(2), q_BSND.size(1)}, -kInfinity, options)};
}

void MergeAttention(const kernels::AttentionResult& merged, const kernels::AttentionResult& part) {
  const at::Tensor lse = at::logaddexp(merged.lse_BNS, part.lse_BNS);
  // Where no part has a key yet, any finite number keeps -inf - -inf out.
  const at::Tensor base = lse.masked_fill(lse.eq(-kInfinity), 0);
  const auto weight = [&](const at::Tensor& lse_of_part) {
    return (lse_of_part - base).exp_().transpose(1, 2).unsqueeze(-1);
  };
  merged.out_BSND.mul_(weight(merged.lse_BNS)).addcmul_(part.out_BSND, weight(part.lse_BNS));
  merged.lse_BNS.copy_(lse);
}

}  // namespace hyperpp::parallel

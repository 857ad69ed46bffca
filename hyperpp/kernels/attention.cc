#include "hyperpp/kernels/attention.h"

#include "hyperpp/core/error.h"
#include "hyperpp/kernels/attention_composed.h"
#include "hyperpp/kernels/attention_cpu.h"

namespace hyperpp::kernels {
namespace {

void CheckHeads(const at::Tensor& x, const at::Tensor& q, const char* name) {
  HYPERPP_CHECK(x.dim() == 4 && x.stride(3) == 1,
                "attention: {} must be [batch, tokens, heads, dim] with unit stride over dim",
                name);
  HYPERPP_CHECK(
      x.scalar_type() == q.scalar_type() && x.size(0) == q.size(0) && x.size(3) == q.size(3),
      "attention: {} must have the dtype, batch and head dim of q", name);
}

void CheckDropout(const AttentionDropout& dropout, const at::Tensor& q, const at::Tensor& k) {
  HYPERPP_CHECK(dropout.probability >= 0 && dropout.probability < 1,
                "attention dropout probability is {}", dropout.probability);
  HYPERPP_CHECK(dropout.sample_ids_B.scalar_type() == at::kLong &&
                    dropout.query_positions_S.scalar_type() == at::kInt &&
                    dropout.key_positions_L.scalar_type() == at::kInt,
                "attention dropout takes int64 samples and int32 positions");
  HYPERPP_CHECK(dropout.sample_ids_B.is_contiguous() && dropout.query_positions_S.is_contiguous() &&
                    dropout.key_positions_L.is_contiguous(),
                "attention dropout takes contiguous samples and positions");
  HYPERPP_CHECK_EQ(dropout.sample_ids_B.numel(), q.size(0), "attention dropout samples");
  HYPERPP_CHECK_EQ(dropout.query_positions_S.numel(), q.size(1), "attention dropout queries");
  HYPERPP_CHECK_EQ(dropout.key_positions_L.numel(), k.size(1), "attention dropout keys");
}

void Check(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
           const AttentionOptions& options) {
  HYPERPP_CHECK(q.scalar_type() == at::kFloat || q.scalar_type() == at::kBFloat16,
                "attention takes fp32 or bf16, not {}", c10::toString(q.scalar_type()));
  CheckHeads(q, q, "q");
  CheckHeads(k, q, "k");
  CheckHeads(v, q, "v");
  HYPERPP_CHECK(k.sizes() == v.sizes(), "attention: k and v must have one shape");
  HYPERPP_CHECK_EQ(q.size(2) % k.size(2), 0, "attention: query heads against key heads");
  HYPERPP_CHECK(options.scale > 0, "attention scale is {}", options.scale);
  for (const at::Tensor& keys : {options.key_begin_BS, options.key_end_BS})
    HYPERPP_CHECK(keys.defined() && keys.scalar_type() == at::kInt && keys.dim() == 2 &&
                      keys.size(0) == q.size(0) && keys.size(1) == q.size(1),
                  "attention: key intervals must be int32 [batch, queries]");
  if (options.dropout != nullptr) CheckDropout(*options.dropout, q, k);
}

// Probability 0 is no dropout.
AttentionOptions WithoutIdleDropout(AttentionOptions options) {
  if (options.dropout != nullptr && options.dropout->probability == 0) options.dropout = nullptr;
  return options;
}

}  // namespace

AttentionResult AttentionForward(const at::Tensor& q_BSND, const at::Tensor& k_BLMD,
                                 const at::Tensor& v_BLMD, const AttentionOptions& options) {
  const AttentionOptions used = WithoutIdleDropout(options);
  Check(q_BSND, k_BLMD, v_BLMD, used);
  return q_BSND.is_cpu() ? AttentionForwardCpu(q_BSND, k_BLMD, v_BLMD, used)
                         : ComposedAttentionForward(q_BSND, k_BLMD, v_BLMD, used);
}

AttentionGradients AttentionBackward(const at::Tensor& grad_out_BSND, const at::Tensor& q_BSND,
                                     const at::Tensor& k_BLMD, const at::Tensor& v_BLMD,
                                     const AttentionResult& forward,
                                     const AttentionOptions& options) {
  const AttentionOptions used = WithoutIdleDropout(options);
  Check(q_BSND, k_BLMD, v_BLMD, used);
  CheckHeads(grad_out_BSND, q_BSND, "grad_out");
  HYPERPP_CHECK(
      grad_out_BSND.sizes() == q_BSND.sizes() && forward.out_BSND.sizes() == q_BSND.sizes(),
      "attention: gradient and result of the forward pass must have the shape of q");
  HYPERPP_CHECK(forward.lse_BNS.is_contiguous() && forward.lse_BNS.scalar_type() == at::kFloat,
                "attention: lse must be contiguous fp32");
  return q_BSND.is_cpu()
             ? AttentionBackwardCpu(grad_out_BSND, q_BSND, k_BLMD, v_BLMD, forward, used)
             : ComposedAttentionBackward(grad_out_BSND, q_BSND, k_BLMD, v_BLMD, forward, used);
}

}  // namespace hyperpp::kernels

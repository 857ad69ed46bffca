#include "hyperpp/kernels/cross_entropy_composed.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/expm1.h>
#include <ATen/ops/logsumexp.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/where.h>

namespace hyperpp::kernels {

at::Tensor MergeParts(const at::Tensor& parts_RC2) {
  return at::stack({at::logsumexp(parts_RC2.select(2, 0), {0}), parts_RC2.select(2, 1).sum(0)}, 1);
}

at::Tensor ComposedLossSum(at::Tensor logits_CV, const at::Tensor& labels_C, double token_weight,
                           const at::Tensor& grad_CV, const HeadLossOptions& options) {
  at::Tensor column_C1 = (labels_C - options.part.first).unsqueeze(1);
  const at::Tensor outside_C1 = (column_C1 < 0).logical_or_(column_C1 >= logits_CV.size(1));
  column_C1 = column_C1.masked_fill(outside_C1, 0);
  at::Tensor lse_C1 = at::logsumexp(logits_CV, {1}, true);
  at::Tensor label_logit_C1 = logits_CV.gather(1, column_C1).masked_fill(outside_C1, 0);
  if (options.gather_parts) {
    const at::Tensor numbers_C2 = at::cat({lse_C1, label_logit_C1}, 1).to(at::kDouble);
    const at::Tensor whole_C2 = MergeParts(options.gather_parts(numbers_C2));
    lse_C1 = whole_C2.narrow(1, 0, 1).to(lse_C1.options());
    label_logit_C1 = whole_C2.narrow(1, 1, 1).to(lse_C1.options());
  }
  const at::Tensor log_probability_C1 = label_logit_C1 - lse_C1;
  if (grad_CV.defined()) {
    logits_CV.sub_(lse_C1).exp_();
    const at::Tensor label_grad_C1 =
        at::where(outside_C1, logits_CV.gather(1, column_C1), at::expm1(log_probability_C1));
    logits_CV.scatter_(1, column_C1, label_grad_C1).mul_(token_weight);
    if (!grad_CV.is_alias_of(logits_CV)) grad_CV.copy_(logits_CV);
  }
  return log_probability_C1.to(at::kDouble).sum().neg();
}

}  // namespace hyperpp::kernels
